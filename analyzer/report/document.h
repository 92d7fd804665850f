#pragma once
/*
 * document - an analysis as one JSON document: docs/analyze.schema.json describes it,
 * docs/analyze.md explains every figure. Every other form is made of it.
 */
#include "analyzer/analysis.h"

/* problems: of the capture, as capture_problems() gives them. The caller's. */
struct json_t *report_document(
        const struct analysis *a, const char *const *problems, size_t n_problems);
