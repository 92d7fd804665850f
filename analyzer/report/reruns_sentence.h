#pragma once
/*
 * reruns_sentence - describes in words how often one backend gave the same answer to the same
 * prompt (`plumbline determinism`). reruns: that member of a document, which is not trusted. Pure.
 */
#include <jansson.h>

#include "base/buf.h"

/* Appends one sentence; nothing if there is no result. */
void reruns_sentence(const json_t *reruns, struct buf *to);
/* Appends how much the number of requests in flight, and that of cached tokens, change answers.
 * Leaves out a number without data, and one at which all pairs of answers agree. to: empty. */
void reruns_put_gaps(const json_t *reruns, struct buf *to);
