#pragma once
/*
 * report - an analysis for people and for machines. docs/analyze.md explains every figure.
 */
#include <stdio.h>

#include "analyzer/analysis.h"

struct report_options {
	const char *const *problems; /* of the capture, as capture_problems() gives them */
	size_t n_problems;
	const struct advice_place *place; /* for the commands that are proposed; or NULL */
	bool colour;
};

/* First the sentence that matters, then its evidence, then a table; lines of at most 100 columns.
 */
void report_text(const struct analysis *a, const struct report_options *options, FILE *to);
/* The document that docs/analyze.schema.json describes; the caller's. */
struct json_t *report_document(
        const struct analysis *a, const char *const *problems, size_t n_problems);
