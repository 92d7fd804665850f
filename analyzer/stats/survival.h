#pragma once
/*
 * survival - the share of answers that are still identical after t tokens (Kaplan and Meier 1958):
 * the product of 1 - differ / at_risk over the first t positions. differ: answers whose first
 * difference is at the position; at_risk: answers with at least that many identical tokens before.
 *
 * An answer that never differs is censored at its length. So this share does not depend on the
 * length of answers, unlike the share of differing answers. Positions have the precision of
 * base/histogram: exact below 2048 tokens, within 0.1 % beyond. The order of adding does not change
 * the result. Memory does not grow. One thread.
 */
#include <stdbool.h>
#include <stdint.h>

#include "base/histogram.h"

struct survival {                          /* zero-initialised: empty */
	struct histogram events, censored; /* answers that differ; answers that do not */
};

/* Adds an answer. at: number of identical tokens before its first difference, or of all its tokens
 * if nothing differs. */
void survival_add(struct survival *s, uint64_t at, bool differs);
void survival_finish(struct survival *s);
/* The smallest number of tokens after which fewer than half of the answers are identical;
 * UINT64_MAX: half or more stay identical, or there are no answers. */
uint64_t survival_median(const struct survival *s);
/* Calls step(arg, ...) for each number of tokens at which the share falls, in rising order. share:
 * the share after these tokens. at_risk: as above, at the last of these tokens. */
typedef void (*survival_step_fn)(void *arg, uint64_t tokens, double share, uint64_t at_risk);
void survival_steps(const struct survival *s, survival_step_fn step, void *arg);
