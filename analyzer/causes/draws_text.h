#pragma once
/*
 * draws_text - describes in words how an engine's draws differ from the requested sampling. Call
 * its functions after draws_settle().
 */
#include "analyzer/fold/draws.h"
#include "base/buf.h"

/* True if the group has this finding. */
bool draws_finding_is_there(const struct draws_group *g, enum draws_finding f);
/* Appends what the engine does, without its name and without a full stop, such as "draws at a
 * temperature of 0.60 ...". The group must have the finding. */
void draws_text_put(struct buf *to, const struct draws_group *g, enum draws_finding f);
/* Appends which replicas of g's backend have the finding f, such as " (1 of 4 replicas: a)".
 * Appends nothing if all replicas have it, or if the replicas are not known. */
void draws_text_put_replicas(
        struct buf *to, const struct draws *d, const struct draws_group *g, enum draws_finding f);
/* Appends what is known about the temperature, with or without a finding, and without a full stop.
 * The words follow the engine's name, such as "draws at ...". If the temperature's state is
 * DRAWS_TOO_FEW, the words stand alone: "too few draws to tell the temperature". */
void draws_text_put_temperature(struct buf *to, const struct draws_group *g);

/*
 * Finds a fault that the backend `side` has, and the backend `other` has not. Returns the first
 * group of `side` with the finding; the result points into d. NULL in these cases:
 *
 *	- no group of `side` has the finding, or d is NULL
 *	- a group of `other` has the same fault, or has draws that do not exclude it
 *
 * If `side` and `other` are one name (a backend that scored its own answers), `other` is ignored.
 */
const struct draws_group *draws_side_finding(
        const struct draws *d, const char *side, const char *other, enum draws_finding f);
/* The finding as part of a sentence, such as "a temperature of 0.60 that was not requested". The
 * caller frees it. */
char *draws_side_phrase(const struct draws_group *g, enum draws_finding f);
