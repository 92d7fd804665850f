#pragma once
/*
 * canned - complete responses that are made before the first request, so that the engine never
 * limits a benchmark.
 *
 * All requests of one kind (endpoint, streamed or not, with or without logprobs and usage) get the
 * same bytes, except for the date. They are made by the code that makes all other answers. Delays
 * do not apply. Read-only after canned_create(): any thread.
 */
#include <stdbool.h>

#include "backends/engine/engine_request.h"
#include "backends/engine/engine_client.h"

struct canned *canned_create(const struct engine_options *options, const struct language *language);
void canned_destroy(struct canned *c); /* NULL is fine */
/* Answers the client's request r. False: r has faults, or is not HTTP/1.1 with keep-alive; there is
 * no canned response for it, and nothing was written. */
bool canned_serve(const struct canned *canned, struct engine_client *c,
        const struct http_request *r, enum endpoint endpoint);
