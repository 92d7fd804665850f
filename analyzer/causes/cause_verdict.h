#pragma once
/*
 * cause_verdict - decides which causes a group shows. All tests share one familywise alpha of
 * CAUSE_ALPHA (Holm), and each effect must also be large enough. Differences that a specific cause
 * explains are not attributed to a general one as well.
 */
#include "analyzer/fold/group.h"

#define CAUSE_ALPHA 0.01

/* group_settle() calls it last, when the group's estimates exist. Replaces g->found. */
void causes_judge(struct analysis_group *g);
