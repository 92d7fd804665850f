#pragma once
/*
 * document_selection - what of the capture was judged, and what was left out by the asker's own choice.
 */
#include <jansson.h>

#include "analyzer/analysis.h"

json_t *report_selection_json(const struct analysis *a); /* null: everything was judged */
