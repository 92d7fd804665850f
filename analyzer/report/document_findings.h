#pragma once
/*
 * document_findings - what else the figures of two backends say, beside the verdict: one sentence each.
 */
#include <jansson.h>

#include "analyzer/fold/group.h"

/* An array of {"key", "text"}. */
json_t *report_findings_json(const struct analysis_group *g);
