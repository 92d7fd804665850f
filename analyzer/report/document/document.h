#pragma once
/*
 * document - makes an analysis into one JSON document. docs/analyze.schema.json describes it,
 * docs/analyze.md explains every figure. All other forms are made from it.
 */
#include "analyzer/analysis.h"

/* a: after analysis_settle(). problems: from capture_problems(). Returns a new reference. */
struct json_t *document_of_analysis(
        const struct analysis *a, const char *const *problems, size_t n_problems);
