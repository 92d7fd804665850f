#pragma once
/*
 * generated_answer - makes the answer to a request for text: waits for a slot in the batch, then
 * generates token by token at the configured pace, or without delay. One such answer is a turn.
 *
 * Loop thread only. A turn ends by answering its client, or is cancelled with the client.
 */
#include "backends/engine/engine_request.h"
#include "backends/engine/engine_client.h"

void generated_answer_begin(
        struct engine_client *c, const struct http_request *r, enum endpoint endpoint);
/* Accepts the request and never answers. */
void generated_answer_hang(struct engine_client *c);
