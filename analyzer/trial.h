#pragma once
/*
 * trial - what one exchange says: its pairs of answers are compared and added to their groups.
 */
#include "analyzer/analysis.h"

struct trial { /* one thread; zero-initialised but for these: */
	struct capture *capture;
	const struct analysis_options *options;
	struct slices *slices; /* names of groups */
	/* What goes into `to` will be merged into this, which does not change meanwhile; or NULL. */
	const struct analysis *so_far;
	struct meaning_room room;
	struct told told;
};

void trial_exchange(struct trial *t, struct analysis *to, const struct capture_exchange *e);
void trial_finish(struct trial *t);
