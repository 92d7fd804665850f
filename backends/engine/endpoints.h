#pragma once
/*
 * endpoints - the paths that the engine serves: the OpenAI API, health and metrics, and the ground
 * truth. Loop thread only.
 */
#include "backends/engine/caller.h"

void endpoints_serve(struct caller *c, const struct request *r);
