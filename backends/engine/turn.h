#pragma once
/*
 * turn - a request for text and the answer to it: waiting for a place in the batch, then token by
 * token at the pace that was set, or all at once when none was.
 *
 * Loop thread only. A turn ends by answering its caller, or is cancelled with it.
 */
#include "backends/engine/ask.h"
#include "backends/engine/caller.h"

struct turn;

void turn_begin(struct caller *c, const struct request *r, enum ask_endpoint endpoint);
/* Takes the request and never answers. */
void turn_hang(struct caller *c);
