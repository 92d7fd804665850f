#pragma once
/*
 * hints - what the evidence of a group points to, each as one sentence with its figures. Pure.
 */
#include "analyzer/analysis.h"

#define HINTS_LIMIT 16

struct hint {
	const char *key; /* stable, for machines */
	bool limits;     /* says what the figures lack, not what is behind them */
	char *text;
};

/* Whether tokens that are not the best of their list are more than ties in an engine's rounding. */
bool hints_not_top_counts(uint64_t not_top, uint64_t tokens);
/* Writes at most HINTS_LIMIT hints and returns their number; hints_finish() frees the texts. */
size_t hints_find(const struct analysis_group *g, struct hint *ret);
void hints_finish(struct hint *hints, size_t n);
