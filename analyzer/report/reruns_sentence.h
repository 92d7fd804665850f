#pragma once
/*
 * reruns_sentence - describes in words how often one backend gave the same answer to the same
 * prompt (`plumbline determinism`). reruns: that member of a document, which is not trusted. Pure.
 */
#include <jansson.h>

#include "base/buf.h"

/* Appends one sentence; nothing if there is no result. */
void reruns_sentence(const json_t *reruns, struct buf *to);
/* Appends how much two conditions change answers: the number of requests in flight, and the number
 * of cached tokens. Leaves out a condition without data, or with which all pairs of answers agree.
 * `to` must be empty. */
void reruns_put_gaps(const json_t *reruns, struct buf *to);
