#pragma once
/*
 * exhibit_prompt - what a request asks, for people: its messages or its prompt, and apart from them
 * what else it sets.
 */
#include <jansson.h>

#include "base/buf.h"

/* Sets prompt ([{role, text}]), parameters and request (the body as it came), cut to their limits. */
void exhibit_prompt(json_t *to, struct span body);
