#pragma once
/*
 * document_charts - the points of a split's charts for machines. Names are stable.
 */
#include <jansson.h>

#include "analyzer/fold/group.h"

json_t *report_charts_json(const struct analysis_group *g, enum decoding d);
