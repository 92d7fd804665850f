#pragma once
/*
 * report_traffic - latency, errors, tokens, and what watching cost.
 */
#include <stdio.h>

#include <jansson.h>

#include "analyzer/traffic.h"

json_t *report_traffic_json(const struct traffic *t);
void report_traffic_text(const struct traffic *t, FILE *to);
