#pragma once
/*
 * endpoints - the paths that the engine serves: the OpenAI API, health and metrics, and the ground
 * truth. Loop thread only.
 */
#include "backends/engine/engine_client.h"

/* Answers the client's complete request, or begins to. */
void endpoints_serve(struct engine_client *c);
