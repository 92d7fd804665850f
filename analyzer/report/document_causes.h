#pragma once
/*
 * document_causes - the causes that were found between two backends, the largest share first.
 */
#include <jansson.h>

#include "analyzer/fold/group.h"

json_t *report_cause_json(const struct cause *c);
json_t *report_causes_json(const struct analysis_group *g); /* an array of them */
