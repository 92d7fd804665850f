#pragma once
/*
 * summary_text - the result of a replay for a terminal: what was answered, what was not and why,
 * how fast, and whether the schedule was kept.
 */
#include <stdio.h>

#include "replay/summary.h"

void summary_text(const struct summary *r, FILE *to);
