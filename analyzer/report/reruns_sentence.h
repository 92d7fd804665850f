#pragma once
/*
 * reruns_sentence - describes in words how often one backend gave the same answer to the same
 * prompt (`plumbline determinism`). reruns: that member of a document, which is not trusted. Pure.
 */
#include <jansson.h>

#include "base/buf.h"

/* Appends one sentence; nothing if there is no result. */
void reruns_sentence(const json_t *reruns, struct buf *to);
/* Appends whether requests in flight and cached tokens change answers; nothing on a number that
 * is unknown, or if all pairs of answers agree. to: empty. */
void reruns_put_gaps(const json_t *reruns, struct buf *to);
