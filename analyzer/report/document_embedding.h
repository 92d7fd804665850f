#pragma once
/*
 * document_embedding - the figures of embeddings and of where the reasoning stands, for the reports.
 */
#include <jansson.h>

#include "analyzer/analysis.h"

json_t *report_embedding_json(const struct embedding_figures *f); /* null without answers */
json_t *report_placement_json(const struct placements *p);
