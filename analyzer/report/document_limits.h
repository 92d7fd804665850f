#pragma once
/*
 * document_limits - what narrows the verdict on two backends and their figures, one sentence each.
 */
#include <jansson.h>

#include "analyzer/fold/verdict.h"

/* An array of {"key", "text"}; keys are stable: docs/analyze.md, "Limits". */
json_t *report_limits_json(const struct analysis_group *g, const struct verdict *v);
