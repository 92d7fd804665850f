#pragma once
/*
 * draws_text - finds, and describes in words, what is wrong with how an engine draws its tokens.
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

/*
 * Finds a fault of one of two compared sides; a fault that both sides have is not a difference.
 * Returns the group of `side` that has the finding (of several replicas, the first one). NULL: there is
 * none, or the draws of `other` are compatible with the same finding; a side without draws is
 * compatible with none. If `side` and `other` are one name (a backend that scored its own answers),
 * any finding counts. d may be NULL; the result points into d.
 */
const struct draws_group *draws_side_finding(
        const struct draws *d, const char *side, const char *other, enum draws_finding f);
/* The finding as part of a sentence: "a temperature of 0.60 that was not requested". The caller
 * frees it. */
char *draws_side_phrase(const struct draws_group *g, enum draws_finding f);
