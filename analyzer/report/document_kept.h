#pragma once
/*
 * report_kept - what was compared of captures that do not hold all, for the reports.
 */
#include <stdio.h>

#include <jansson.h>

#include "analyzer/group.h"

json_t *report_kept_json(const struct kept *k); /* null where all is kept */
void report_kept_text(const struct analysis_group *g, FILE *to);
