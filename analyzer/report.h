#pragma once
/*
 * report - an analysis for people and for machines. docs/analyze.md explains every figure.
 */
#include <stdio.h>

#include "analyzer/analysis.h"

/* First the sentence that matters, then the table. problems: of the capture, as capture_problems()
 * gives them. */
void report_text(
        const struct analysis *a, const char *const *problems, size_t n_problems, FILE *to);
/* One JSON document whose names stay. */
void report_json(
        const struct analysis *a, const char *const *problems, size_t n_problems, FILE *to);
