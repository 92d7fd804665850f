#pragma once
/*
 * endpoints - which path gives what: the OpenAI API, health and metrics, and the ground truth. Loop
 * thread only.
 */
#include "backends/engine/caller.h"

void endpoints_serve(struct caller *c, const struct request *r);
