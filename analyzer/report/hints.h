#pragma once
/*
 * hints - what the figures of a group lack, each as one sentence with its figures. What is behind
 * differences is told by causes, and not here again. Pure.
 */
#include "analyzer/analysis.h"

#define HINTS_LIMIT 24

struct hint {
	const char *key; /* stable, for machines */
	char *text;
};

/* Of a settled group. Writes at most HINTS_LIMIT hints and returns their number; hints_finish() frees
 * the texts. */
size_t hints_find(const struct analysis_group *g, struct hint *ret);
void hints_finish(struct hint *hints, size_t n);
