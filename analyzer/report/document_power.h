#pragma once
/*
 * report_power - what the data was too little for, in a sentence. The caller frees it; NULL: nothing.
 */
#include "analyzer/group.h"

/* Of an excess that was not found: could it have been? */
char *report_power_sentence(const struct analysis_group *g);
/* Of slices that no verdict can be given on. */
char *report_short_slices_sentence(const struct analysis_group *g);
