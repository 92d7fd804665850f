#pragma once
/*
 * report_values - numbers, and what is estimated of them, as a report for machines says them: JSON
 * has no word for NaN and infinity, which are null.
 */
#include <stdint.h>

#include <jansson.h>

#include "analyzer/stats/clusters.h"

json_t *report_number(double value);
json_t *report_integer(uint64_t value);            /* up to INT64_MAX */
json_t *report_interval(struct interval i);        /* [low, high]; null unless both are known */
json_t *report_estimate(const struct estimate *e); /* {"value", "ci95"} */
