#pragma once
/*
 * sweep_cliff - finds the cliff of a sweep: the first target in which the meaning of clearly more
 * answers changed than in the target before it. Pure.
 */
#include <jansson.h>

#include "base/buf.h"

/*
 * infer-check's degradation cliff, by the share of answers whose meaning changed. rows: of the
 * standings (standings.h). Each target is compared with the one before it; the first target with
 * the base's difference from itself, if that is known. Returns an object, a new reference; if no
 * cliff is certain, the first target that would be one if the undecided answers had changed; null:
 * there is none.
 */
json_t *sweep_cliff(const json_t *rows);
/* Appends where the cliff of a sweep's standings is, or that there is none. */
void sweep_cliff_put(struct buf *to, const json_t *standings);
