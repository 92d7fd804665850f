#pragma once
/*
 * endpoints - the paths that the engine serves: the OpenAI API, health and metrics, and the ground
 * truth. Loop thread only.
 */
#include "backends/engine/engine_client.h"

void endpoints_serve(struct engine_client *c, const struct request *r);
