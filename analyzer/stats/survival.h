#pragma once
/*
 * survival - the share of answers that are still identical after so many tokens (Kaplan and Meier).
 *
 * An answer that never parts is censored at its length: it tells nothing of what would have come.
 * The share does not depend on the length of answers, unlike "so many per cent differ". Positions
 * are those of base/histogram: exact below 2048 tokens, within 0.1 % beyond. Adding in
 * any order gives the same. Memory does not grow. One thread.
 */
#include <stdbool.h>
#include <stdint.h>

#include "base/histogram.h"

struct survival {                          /* zero-initialised is empty */
	struct histogram events, censored; /* answers that parted, and the others */
};

/* at: comparable tokens that were equal before the parting, or all of them if none came. */
void survival_add(struct survival *s, uint64_t at, bool parted);
void survival_finish(struct survival *s);
/* The first number of tokens after which less than half are identical; UINT64_MAX: not reached. */
uint64_t survival_median(const struct survival *s);
/* Calls step with each number of tokens at which the share falls, in order. */
typedef void (*survival_step_fn)(void *arg, uint64_t tokens, double share, uint64_t at_risk);
void survival_steps(const struct survival *s, survival_step_fn step, void *arg);
