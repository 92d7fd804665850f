#pragma once
/*
 * survival - the share of answers that are still identical after so many tokens (Kaplan and Meier).
 *
 * An answer that never parts is censored at its length: it tells nothing of what would have come.
 * The share does not depend on the length of answers, unlike "so many per cent differ". Exact below
 * 64 tokens, positions within 2 % beyond; constant memory. Pure.
 */
#include <stdbool.h>
#include <stdint.h>

#include "analyzer/stats/stats.h"

struct survival { /* zero-initialised is empty */
	struct spread parted, whole;
};

/* at: comparable tokens that were equal before the parting, or all of them if none came. */
void survival_add(struct survival *s, uint64_t at, bool parted);
/* The share that is identical in its first `tokens` tokens; NaN when nobody got so far. */
double survival_share(const struct survival *s, uint64_t tokens);
/* The first number of tokens after which less than half are identical; UINT64_MAX: not reached. */
uint64_t survival_median(const struct survival *s);
/* Calls step with each number of tokens at which the share falls, in order. */
typedef void (*survival_step_fn)(void *arg, uint64_t tokens, double share, uint64_t at_risk);
void survival_steps(const struct survival *s, survival_step_fn step, void *arg);
