#pragma once
/*
 * replay_summary_text - prints the result of a replay for people: what was answered, what failed
 * and why, how fast it was, and whether the schedule was kept.
 */
#include <stdio.h>

#include "replay/replay_summary.h"

void replay_summary_text(const struct replay_summary *r, FILE *screen);
