#pragma once
/*
 * cause_verdict - decides why the answers of a group differ.
 */
#include "analyzer/fold/group.h"

#define CAUSE_ALPHA 0.01
/*
 * Decides which causes the group has, and replaces g->found. Call after group_settle(). All tests
 * (cause_tests.h) share one alpha of CAUSE_ALPHA (Holm), and each effect must also have the least
 * size that docs/metrics.md states. A difference that a specific cause explains does not count for
 * a general cause.
 */
void causes_judge(struct analysis_group *g);
