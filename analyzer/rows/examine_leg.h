#pragma once
/*
 * examine_leg - what one leg shows by itself, from its row in the capture. Pure; texts of the summary are
 * the leg's.
 */
#include "analyzer/rows/rows.h"

/* False: it was asked for no answer, but for a score, a grade or a judge's opinion. */
bool examine_leg(const struct capture_exchange *e, size_t leg, struct leg_summary *ret);
