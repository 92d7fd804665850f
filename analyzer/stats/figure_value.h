#pragma once
/*
 * figure_value - the value of a figure with its interval; or a range, if only a lower and an upper
 * bound are known.
 */
#include <stdbool.h>

#include "analyzer/stats/stats.h"

struct figure_value {
	double n;     /* number of answers or positions, whichever the figure counts */
	double value; /* of a range: its lower end */
	/* 95 %; NaN: fewer than two clusters; of a range: from least_ci.low to most_ci.high */
	struct interval ci;
	bool is_range;
	double most;                       /* of a range: its upper end */
	struct interval least_ci, most_ci; /* of a range: the intervals of both ends */
	size_t clusters;
	size_t seeds; /* number of seeds, if prompts are crossed with seeds (crossing.h); else 0 */
	/* if crossed: standard errors from the choice of prompts and of seeds; ci covers both */
	double of_prompts, of_seeds;
};

/* Makes *least a range, from its own value to that of *most. Their intervals become least_ci and
 * most_ci. */
static inline void figure_set_most(struct figure_value *least, const struct figure_value *most)
{
	least->is_range = true;
	least->most = most->value;
	least->least_ci = least->ci;
	least->most_ci = most->ci;
	least->ci.high = most->ci.high;
}
