#pragma once
/*
 * playback - a request answered by what was recorded, at the pace at which it came.
 *
 * Each piece is due at its recorded time after the request, divided by the speed; none goes before. Loop
 * thread only. A playback ends by answering its caller, or is cancelled with it.
 */
#include "backends/engine/caller.h"

void playback_begin(struct caller *c, const struct request *r);
