#pragma once
/*
 * document - an analysis as one JSON document. docs/analyze.schema.json describes it,
 * docs/analyze.md explains every figure. All other forms are made from it.
 */
#include "analyzer/analysis.h"

/* problems: from capture_problems(). The caller owns the result. */
struct json_t *report_document(
        const struct analysis *a, const char *const *problems, size_t n_problems);
