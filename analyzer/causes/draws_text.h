#pragma once
/*
 * draws_text - describes in words what is wrong with how an engine draws its tokens.
 */
#include "analyzer/fold/draws.h"
#include "base/buf.h"

enum draws_finding {
	DRAWS_FINDING_TEMPERATURE,
	DRAWS_FINDING_TOP_K,
	DRAWS_FINDING_TOP_P,
	DRAWS_FINDING_MIN_P,
	DRAWS_FINDING_PENALTY,
	DRAWS_FINDING_CALIBRATION,
	DRAWS_FINDING_REPEATS,
	DRAWS_FINDING_FILTERED, /* the lists are filtered */
	N_DRAWS_FINDINGS,
};
const char *draws_finding_name(enum draws_finding f); /* "temperature" */
/* True if the group has this finding. Call all of the following after draws_settle(). */
bool draws_finding_is_there(const struct draws_group *g, enum draws_finding f);
/* Appends what the engine does, without its name and a full stop: "draws at a temperature of
 * ...". */
void draws_text_put(struct buf *to, const struct draws_group *g, enum draws_finding f);
/* Appends a sentence about the temperature, without a full stop. */
void draws_text_put_temperature(struct buf *to, const struct draws_group *g);
/* The number of draws that the finding's test needs to find an effect of the usual size; NaN:
 * unknown. */
double draws_finding_needed(const struct draws_group *g, enum draws_finding f);
