#include "analyzer/trial_blame.h"

/* Where one engine's runs are held against each other, each has floors of its own. */
static bool is_of(const struct trial_scene *s, const struct trial_judged *floor,
        const struct trial_judged *trial, size_t leg)
{
	const struct capture_leg *legs = s->e->legs;
	const struct leg_row *base = &legs[floor->base].row, *row = &legs[leg].row;
	bool by_run =
	        pair_is_of_one_engine(s->wish, &legs[trial->base].row, &legs[trial->test].row);
	return pair_is_of_one_engine(s->wish, base, row) &&
	       (!by_run || id_compare(base->run, row->run) == 0);
}

static bool was_met(const struct trial_scene *s, const struct trial_judged *floor,
        const struct trial_judged *trial)
{
	for (const struct trial_judged *j = s->items; j < trial; j++) {
		if (j->group == trial->group &&
		        (is_of(s, floor, j, j->base) || is_of(s, floor, j, j->test))) {
			return true;
		}
	}
	return false;
}

static void add_floor(const uint8_t *cluster, const struct trial_judged *floor, bool of_base,
        struct analysis_group *g)
{
	blame_add(&g->blame, cluster, of_base ? BLAME_OF_BASE : BLAME_OF_TEST, &floor->facts);
	if (floor->facts.has_first) {
		firsts_add(&g->floor_firsts, &floor->facts.first);
	}
	causes_floor(&g->causes, cluster, of_base, &floor->signs);
}

void trial_blame(const struct trial_scene *s, const struct trial_judged *trial)
{
	struct analysis_group *g = trial->group;
	blame_add(&g->blame, s->cluster, BLAME_TRIAL, &trial->facts);
	for (size_t i = 0; i < s->n; i++) {
		const struct trial_judged *floor = &s->items[i];
		if (!floor->group->is_floor || was_met(s, floor, trial)) {
			continue;
		}
		bool of_base = is_of(s, floor, trial, trial->base);
		if (of_base || is_of(s, floor, trial, trial->test)) {
			add_floor(s->cluster, floor, of_base, g);
		}
	}
}
