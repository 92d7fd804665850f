/*
 * meanings - lets another program call parts of the comparison rules. Reads lines "VERB QUESTION
 * HEX HEX" and answers each with a line:
 *
 *	compare  RUNG CLASS BASIS MARKS SEVERITY, then the two values, as hex
 *	code_L   the same for programs in language L
 *	unicode  the first text's form at that rung, as hex; space and plain likewise
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/compare/meaning/format_code.h"
#include "analyzer/compare/meaning/meaning.h"
#include "base/mem.h"

static const char *const agreements[] = {"same", "undecided", "changed"};

static int nibble(char c)
{
	return c >= 'a' ? c - 'a' + 10 : c - '0';
}

static void unhex(const char *s, struct buf *to)
{
	buf_clear(to);
	buf_reserve(to, 1);
	for (; s[0] && s[1] && s[0] != '-'; s += 2) {
		buf_append_char(to, (char)(nibble(s[0]) << 4 | nibble(s[1])));
	}
}

static void put_hex(struct span s)
{
	for (size_t i = 0; i < s.len; i++) {
		printf("%02x", (unsigned char)s.data[i]);
	}
	putchar(s.len ? ' ' : '-');
}

static void compare(struct meaning_room *room, int q, struct span a, struct span b)
{
	struct meaning m;
	meaning_compare_texts(room, a, b, (enum question)q, false, &m);
	printf("%s %s %s %x %s ", rung_name(m.rung), meaning_class_name(m.class),
	        meaning_basis_name(m.basis), m.marks, meaning_severity_name(m.severity));
	put_hex(span_of(m.base_value));
	putchar(' ');
	put_hex(span_of(m.test_value));
	putchar('\n');
}

static void form(const char *verb, struct span a)
{
	struct buf to = {0}, pieces = {0};
	markup_pieces(a, &pieces);
	if (strcmp(verb, "unicode") == 0) {
		format_unicode(a, &to);
	} else if (strcmp(verb, "space") == 0) {
		format_space(a, &pieces, &to);
	} else {
		markup_plain(a, &pieces, false, &to);
	}
	put_hex(buf_span(&to));
	putchar('\n');
	buf_finish(&to);
	buf_finish(&pieces);
}

int main(void)
{
	struct meaning_room room = {0};
	struct buf x = {0}, y = {0};
	char *line = NULL, verb[16];
	size_t size = 0;
	ssize_t n;
	while ((n = getline(&line, &size, stdin)) > 0) {
		char *first = xmalloc((size_t)n + 1), *second = xmalloc((size_t)n + 1);
		int q = 0;
		if (sscanf(line, "%15s %d %s %s", verb, &q, first, second) != 4) {
			return 2;
		}
		unhex(first, &x);
		unhex(second, &y);
		struct span a = buf_span(&x), b = buf_span(&y);
		if (strcmp(verb, "compare") == 0) {
			compare(&room, q, a, b);
		} else if (strncmp(verb, "code_", 5) == 0) {
			puts(agreements[code_agreement(a, b, code_language_of(span_of(verb + 5)))]);
		} else {
			form(verb, a);
		}
		fflush(stdout);
		free(first);
		free(second);
	}
	free(line);
	buf_finish(&x);
	buf_finish(&y);
	meaning_room_finish(&room);
	return 0;
}
