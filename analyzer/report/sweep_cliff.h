#pragma once
/*
 * sweep_cliff - finds the cliff of a sweep: the first target whose share of answers with a changed
 * meaning is more than twice that of the target before it (docs/recipes.md). Pure.
 */
#include <jansson.h>

#include "base/buf.h"

/*
 * rows: of the standings (standings.h). The first target is compared with the base's noise floor,
 * if the floor is known and is not over different seeds. If the share of the target before is 0,
 * the whole interval of the cliff must be above the interval of the target before. Returns the
 * object of the cliff ("shown" is true). If there is none, returns the object of the first target
 * that may be a cliff, depending on undecided answers ("shown" is false); else null. A new
 * reference.
 */
json_t *sweep_cliff(const json_t *rows);
/* Appends where the cliff of a sweep's standings is, or that there is none. Appends nothing if the
 * standings are of no sweep, or if no target has the figure. */
void sweep_cliff_put(struct buf *to, const json_t *standings);
