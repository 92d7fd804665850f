#pragma once
/* golden - reads a recorded answer of a real engine from the directory in the environment variable
 * GOLDEN_DIR. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/mem.h"

struct golden_answer {
	int status;
	char *head; /* its fields, one on each line, without the status line */
	char *body;
};

/* Reads the file NAME.SUFFIX of an engine; the caller frees it. */
static inline char *golden_text(const char *engine, const char *name, const char *suffix)
{
	struct buf text = {0};
	char *file = xasprintf("%s/%s/%s.%s", getenv("GOLDEN_DIR"), engine, name, suffix);
	FILE *f = fopen(file, "rb");
	cr_assert_not_null(f, "%s", file);
	char piece[4096];
	for (size_t n; (n = fread(piece, 1, sizeof(piece), f)) > 0;) {
		buf_append(&text, piece, n);
	}
	fclose(f);
	free(file);
	return buf_steal(&text);
}

/* The caller frees head and body. */
static inline struct golden_answer golden_answer(const char *engine, const char *name)
{
	char *all = golden_text(engine, name, "response");
	char *end = strstr(all, "\r\n\r\n"), *first = strchr(all, '\n');
	cr_assert(end && first, "%s/%s", engine, name);
	struct buf head = {0};
	for (const char *p = first + 1; p < end + 2; p++) {
		if (*p != '\r') {
			buf_append_char(&head, *p);
		}
	}
	struct golden_answer answer = {atoi(all + 9), xstrdup(buf_cstr(&head)), xstrdup(end + 4)};
	buf_finish(&head);
	free(all);
	return answer;
}
