#pragma once
/*
 * opening - the first tokens of answers: a position that both sides meet with the same bytes before it,
 * whatever chance did to the rest. So sampled answers are held against each other there, by what both engines
 * held probable and not by what they drew.
 */
#include "analyzer/stats/clusters.h"
#include "reading/reading.h"

enum opening_figure {
	OPENING_KL_LOW,
	OPENING_TV_LOW,
	OPENING_TV_HIGH,
	OPENING_JS_LOW,
	OPENING_JS_HIGH,
	OPENING_HIDDEN,
	OPENING_SAME_TOP,
	N_OPENINGS,
};
const char *opening_name(enum opening_figure f); /* as the figures' names are */

struct openings { /* zero-initialised is empty */
	struct clusters *clusters;
	uint64_t n;                         /* answers with lists on both sides */
	struct estimate values[N_OPENINGS]; /* once settled */
};

void openings_add(struct openings *o, const uint8_t cluster[CLUSTERS_KEY_SIZE],
        const struct choice *base, const struct choice *test);
void openings_merge(struct openings *o, const struct openings *other);
void openings_settle(struct openings *o);
void openings_finish(struct openings *o);
