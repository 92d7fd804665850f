#pragma once
/*
 * reruns_sentence - describes the results of reruns in words. reruns: member "reruns" of a
 * document, which is not trusted. Pure.
 */
#include <jansson.h>

#include "base/buf.h"

/* Appends one sentence; nothing if there is no result. */
void reruns_sentence(const json_t *reruns, struct buf *to);
/* Appends the effects of requests in flight and of cached tokens; nothing if both are unknown. */
void reruns_put_gaps(const json_t *reruns, struct buf *to);
