#pragma once
/*
 * pattern - the user's regular expressions. The only module that includes pcre2.h.
 *
 * Perl syntax on UTF-8; invalid bytes match nothing. A pattern is compiled once, by JIT where
 * available, and shared by threads. The work for one match is limited: if an expression needs more
 * than PATTERN_STEPS, the caller must treat the whole text as a match.
 */
#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"

#define PATTERN_STEPS 200000

struct pattern;

/* Compiles an expression. If it is wrong, returns NULL, in *ret_error a sentence that the caller
 * frees, and in *ret_at the offset of the error in the expression. */
struct pattern *pattern_create(const char *expression, char **ret_error, size_t *ret_at);
bool pattern_may_be_empty(const struct pattern *p); /* true if it can match an empty text */
void pattern_destroy(struct pattern *p);            /* NULL is fine */

/* Working memory for matching. Reuse it for many matches; one thread at a time. */
struct pattern_scratch;
struct pattern_scratch *pattern_scratch_create(void);
void pattern_scratch_destroy(struct pattern_scratch *s); /* NULL is fine */

/* Finds the first match that begins at `from` or later and is not empty. Returns 1: found; 0:
 * none; -E2BIG: it takes too many steps. */
int pattern_find(const struct pattern *p, struct pattern_scratch *scratch, struct span text,
        size_t from, size_t *ret_from, size_t *ret_to) MUST_CHECK;
