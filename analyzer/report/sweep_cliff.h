#pragma once
/*
 * sweep_cliff - finds the first target of a sweep at which clearly more answers change than at the
 * target before it. Pure.
 */
#include <jansson.h>

#include "base/buf.h"

/*
 * infer-check's degradation cliff, judged by the answers' meaning. If the base's difference from
 * itself is known, the first target is compared with that; if not, the second target is compared
 * with the first. If no cliff is certain, returns the first that would be one if the undecided
 * answers had changed; null if there is none. A new reference.
 */
json_t *sweep_cliff(const json_t *rows);
/* Appends where the cliff of a sweep's standings is, or that there is none. */
void sweep_cliff_put(struct buf *to, const json_t *standings);
