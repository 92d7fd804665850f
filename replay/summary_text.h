#pragma once
/*
 * summary_text - prints the result of a replay for people: what was answered, what failed and why,
 * how fast it was, and whether the schedule was kept.
 */
#include <stdio.h>

#include "replay/summary.h"

void summary_text(const struct summary *r, FILE *screen);
