#pragma once
/*
 * pattern - somebody's own regular expression, found in foreign text. The only module that includes pcre2.h.
 *
 * Perl's syntax on UTF-8; bytes that are none match nothing. Compiled once, by JIT where the machine has it,
 * and shared by threads. Work is limited: what an expression cannot decide within PATTERN_STEPS is told
 * as such, for the caller to take the whole text for a match.
 */
#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"

#define PATTERN_STEPS 200000

struct pattern;

/* NULL: *ret_error is a sentence, the caller's, and *ret_at the offset in the expression. */
struct pattern *pattern_create(const char *expression, char **ret_error, size_t *ret_at);
bool pattern_may_be_empty(const struct pattern *p); /* it can match where nothing is */
void pattern_destroy(struct pattern *p);            /* NULL is fine */

/* What matching needs beside the pattern: made once for many matches, of one thread at a time. */
struct pattern_scratch;
struct pattern_scratch *pattern_scratch_create(void);
void pattern_scratch_destroy(struct pattern_scratch *s); /* NULL is fine */

/* The first match from `from` on that is not empty. 1, 0, or -E2BIG: it took too many steps. */
int pattern_find(const struct pattern *p, struct pattern_scratch *scratch, struct span text,
        size_t from, size_t *ret_from, size_t *ret_to) MUST_CHECK;
