#pragma once
/*
 * canned - whole responses made before the first request, so that the engine is never a benchmark's
 * bottleneck.
 *
 * Every request of one sort (endpoint, streamed or not, with or without logprobs and usage) gets
 * the same bytes, but for the date. They come out of the same code as any answer. Delays do not
 * apply. Made once, then read-only.
 */
#include <stdbool.h>

#include "backends/engine/ask.h"
#include "backends/engine/caller.h"

struct canned *canned_create(const struct engine_options *options, const struct language *language);
void canned_destroy(struct canned *c); /* NULL is fine */
/* Answers the request; false: it is none that was prepared for (it carries faults, or is not
 * keep-alive 1.1). */
bool canned_serve(const struct canned *canned, struct caller *c, const struct request *r,
        enum ask_endpoint endpoint);
