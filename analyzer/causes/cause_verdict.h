#pragma once
/*
 * cause_verdict - decides which causes a group shows. All tests share one familywise alpha of
 * CAUSE_ALPHA (Holm), and each effect must also be large enough. A difference that a specific cause
 * explains does not count for a general cause too.
 */
#include "analyzer/fold/group.h"

#define CAUSE_ALPHA 0.01

/* Sets g->found. group_settle() calls it last, after the group's estimates were made. */
void causes_judge(struct analysis_group *g);
