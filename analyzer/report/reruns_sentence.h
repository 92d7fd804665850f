#pragma once
/*
 * reruns_sentence - describes the results of reruns in words. Reads the document, which is not
 * trusted. Pure.
 */
#include <jansson.h>

#include "base/buf.h"

/* Appends one sentence; appends nothing if the document has no result. */
void reruns_sentence(const json_t *reruns, struct buf *to);
/* Appends the effect of requests in flight and of cached tokens; appends nothing if it is
 * unknown. */
void reruns_put_gaps(const json_t *reruns, struct buf *to);
