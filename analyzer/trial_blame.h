#pragma once
/*
 * trial_blame - the answers of one exchange that were compared, and the floors that each trial of it is
 * held against. Private to trials.
 */
#include "analyzer/group.h"
#include "analyzer/compare/pair.h"

/* What one answer of a greedy pair said, until the exchange's floors are known too. */
struct trial_judged {
	size_t base, test; /* legs */
	struct analysis_group *group;
	struct tally_facts facts;
	struct cause_signs signs;
};

/* All answers of one exchange. */
struct trial_scene {
	const struct capture_exchange *e;
	const struct pair_wish *wish;
	const uint8_t *cluster; /* CLUSTERS_KEY_SIZE bytes */
	const struct trial_judged *items;
	size_t n;
};

/* trial: one of the scene's, and no floor. Adds it and the floors of both its sides to its group; a floor
 * that an earlier trial of the same group had met is not added again. */
void trial_blame(const struct trial_scene *scene, const struct trial_judged *trial);
