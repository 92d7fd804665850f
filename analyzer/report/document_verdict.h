#pragma once
/*
 * report_verdict - the judged figures in sentences. Private to the reports.
 */
#include "analyzer/group.h"

/* Each is NULL where there is nothing to say; the caller frees it. */
char *report_change_sentence(const struct analysis_group *g); /* what differing answers say */
char *report_floor_sentence(const struct analysis_group *g);  /* against the noise floor */
char *report_first_sentence(const struct analysis_group *g);  /* what first differences are worth */
char *report_slice_sentence(const struct analysis_group *g);  /* where it differs more */
