#pragma once
/*
 * report_forced - the teacher-forced figures, for people and for machines.
 */
#include <stdio.h>

#include <jansson.h>

#include "analyzer/report/document.h"

/* Nothing when nothing was scored. */
void report_forced(const struct forced *f, const struct report_options *options, FILE *to);
/* An array with an object for each group. */
json_t *report_forced_json(const struct forced *f);
