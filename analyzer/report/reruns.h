#pragma once
/*
 * reruns - in words: what a backend answers to the same prompt again and again. Of the document's member, which anybody may have
 * written. Pure.
 */
#include <jansson.h>

#include "base/buf.h"

/* One sentence; nothing where nothing is known. */
void reruns_sentence(const json_t *reruns, struct buf *to);
/* What the number of requests in flight and of cached tokens has to do with it; likewise. */
void reruns_put_gaps(const json_t *reruns, struct buf *to);
