#pragma once
/*
 * cause_verdict - which causes the sums of a group show. Every test counts towards one familywise
 * alpha of CAUSE_ALPHA (Holm), and each cause must be large enough besides; what a cause explains that
 * is more particular is not told as a general one too.
 */
#include "analyzer/fold/group.h"

#define CAUSE_ALPHA 0.01

/* Of a settled group; its list is made anew. */
void causes_judge(struct analysis_group *g);
