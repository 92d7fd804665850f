#pragma once
/*
 * trial - what one exchange says: its pairs of answers are compared and added to their groups.
 */
#include "analyzer/analysis.h"

struct trial { /* one thread; zero-initialised but for these: */
	struct capture *capture;
	const struct analysis_options *options;
	struct slices *slices; /* names of groups */
	struct meaning_room room;
	struct told told;
};

/* Legs that were not chosen are taken out of e. */
void trial_exchange(struct trial *t, struct analysis *to, struct capture_exchange *e);
void trial_finish(struct trial *t);
