#pragma once
/*
 * trial - what one exchange says: its pairs of answers are compared and added to their groups.
 */
#include "analyzer/analysis.h"
#include "analyzer/compare/tokens/cause_signs.h"

struct trial_sampled {
	const struct analysis_group *group;
	struct id base_leg, test_leg;
	const struct choice *base, *test;
};

/* Two greedy answers that were held against each other. */
struct trial_greedy {
	const struct capture_exchange *e;
	const struct analysis_group *group;
	struct pair pair;
	const struct choice *base, *test;
	const struct meaning *meaning;
};

struct trial { /* one thread; zero-initialised but for these: */
	struct capture *capture;
	const struct analysis_options *options;
	struct slices *slices; /* names of groups */
	/* What goes into `to` will be merged into this, which does not change meanwhile; or NULL. */
	const struct analysis *so_far;
	struct meaning_room room;
	struct cause_signs_reader signs; /* of the pair under way */
	struct pair *pairs;              /* of the exchange under way; a buffer kept between them */
	size_t pairs_room;
	struct told told;
	/* Told of every pair of sampled answers, unless NULL. */
	void (*on_sampled)(void *arg, const struct trial_sampled *pair);
	/* The same of greedy answers. */
	void (*on_greedy)(void *arg, const struct trial_greedy *pair);
	void *arg;
};

/* Legs that were not chosen are taken out of e. */
void trial_exchange(struct trial *t, struct analysis *to, struct capture_exchange *e);
/*
 * The exchange once more, with answers to others that were the same request: legs from number own on,
 * and the pairs of them with its own.
 */
void trial_repeats(struct trial *t, struct analysis *to, struct capture_exchange *e, size_t own,
        const struct pair *repeats, size_t n_repeats);
void trial_finish(struct trial *t);
