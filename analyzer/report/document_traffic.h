#pragma once
/*
 * document_traffic - latency, errors, tokens, and what watching cost.
 */
#include <jansson.h>

#include "analyzer/fold/traffic.h"

json_t *report_traffic_json(const struct traffic *t);
