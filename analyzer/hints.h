#pragma once
/*
 * hints - what the evidence of a group points to, each as one sentence with its figures. Pure.
 */
#include "analyzer/analysis.h"

#define HINTS_LIMIT 16

struct hint {
	const char *key; /* stable, for machines */
	char *text;
};

/* Writes at most HINTS_LIMIT hints and returns their number; hints_finish() frees the texts. */
size_t hints_find(const struct analysis_group *g, struct hint *ret);
void hints_finish(struct hint *hints, size_t n);
