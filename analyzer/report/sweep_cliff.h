#pragma once
/*
 * sweep_cliff - finds the cliff of a sweep: the first target whose share of answers with a changed
 * meaning is more than twice that of the target before it (docs/recipes.md). Pure.
 */
#include <jansson.h>

#include "base/buf.h"

/*
 * rows: of the standings (standings.h). The first target is compared with the base's noise floor,
 * if that is known and is not over different seeds. After a share of 0, the interval must be above
 * that of the target before. Returns a new reference: the object of the cliff; else of the first
 * target that is a cliff only if undecided answers changed ("shown" is false); else null.
 */
json_t *sweep_cliff(const json_t *rows);
/* Appends where the cliff of a sweep's standings is, or that there is none. Appends nothing if
 * they are of no sweep, or no target has the figure. */
void sweep_cliff_put(struct buf *to, const json_t *standings);
