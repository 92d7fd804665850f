#pragma once
/*
 * report_causes - the causes that were found, and the one sentence that says how the answers of a group
 * differ and why. Private to the reports.
 */
#include <jansson.h>

#include "analyzer/analysis.h"

/* "The primary's answers differ in 4.1 % [3.0-5.4] of 1,210 exchanges, 9 times the noise floor; 83 % of
 * that is explained by a repetition penalty." Never NULL; the caller frees it. */
char *report_sentence(const struct analysis_group *g);
/* The sentence of the trial that differs most; NULL: nothing was compared. */
char *report_first_of_all(const struct analysis *a);
json_t *report_causes_json(const struct analysis_group *g);
