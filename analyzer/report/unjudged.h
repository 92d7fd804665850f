#pragma once
/*
 * unjudged - why no pair of a group was judged: all were left out, or none were decoded without chance. Private to
 * the reports and to who tells it on standard error.
 */
#include "analyzer/analysis.h"

/* Of a group without greedy pairs: "all 40 pairs were left out (40 with an error from ref)", "none of 240 pairs were
 * decoded greedily on both sides". The caller frees it. */
char *unjudged_reason(const struct analysis_group *g);
/* Of an analysis without any, for one line; the first pair of backends with a reason. The caller frees it. */
char *unjudged_reason_of_all(const struct analysis *a);
