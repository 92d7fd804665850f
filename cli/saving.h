#pragma once
/*
 * saving - the files that --out names, for the commands that make a report.
 */
#include <stddef.h>

#include <jansson.h>

#include "analyzer/report/form.h"
#include "base/options.h"

struct saving {
	bool of_change;     /* what is saved is a comparison of two analyses */
	const char **paths; /* each in a form that there is */
	size_t n;
};

/* limit: how many paths may come, such as argc. */
void saving_init(struct saving *s, int limit);
void saving_finish(struct saving *s);
/* NULL, or the problem with a value of --out; the caller frees it. */
char *saving_take(struct saving *s, const char *path) MUST_CHECK;
char *saving_read(void *to, const char *name, const char *value) MUST_CHECK; /* for OPT_CALL() */
/* Rows for struct saving: the --out of an analysis. */
extern const struct option_row SAVING_OPTIONS[];
/* Could all be written? NULL, or the problem; the caller frees it. made: a directory that will be there by then, or NULL. */
char *saving_check(const struct saving *s, const char *made) MUST_CHECK;
/* 0, or -1 after a line for each file that could not be saved. Says of each that was how large it is,
 * and whether it quotes prompts or answers. */
int saving_write(const struct saving *s, const char *command, const json_t *document) MUST_CHECK;
