#pragma once
/*
 * draws_text - what is wrong with how an engine draws its tokens, in words.
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
	DRAWS_FINDING_FILTERED, /* lists */
	N_DRAWS_FINDINGS,
};
const char *draws_finding_name(enum draws_finding f); /* "temperature" */
/* Has the settled group that finding? */
bool draws_finding_is_there(const struct draws_group *g, enum draws_finding f);
/* Appends what the engine does, without its name and without a full stop: "draws at a temperature of ...". */
void draws_text_put(struct buf *to, const struct draws_group *g, enum draws_finding f);
/* Appends what is known of the temperature, whatever it is: as a sentence without a full stop. */
void draws_text_put_temperature(struct buf *to, const struct draws_group *g);
/* Draws with which the test was made, or would tell a usual size; NaN: unknown. */
double draws_finding_needed(const struct draws_group *g, enum draws_finding f);
