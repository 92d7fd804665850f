#pragma once
/*
 * figure_value - the value of a figure with its interval, or a range of two ends.
 */
#include <stdbool.h>

#include "analyzer/stats/stats.h"

struct figure_value {
	double n;           /* answers, or positions */
	double value;       /* of a range: its lower end */
	struct interval ci; /* 95 %; NaN: fewer than two clusters; of a range: of both ends */
	bool is_range;
	double most;                       /* of a range: its upper end */
	struct interval least_ci, most_ci; /* of a range: the intervals of both ends */
	size_t clusters;
	/* Standard errors where prompts are crossed with seeds; the interval contains both. */
	size_t seeds; /* 0: not crossed */
	double of_prompts, of_seeds;
};

/* Makes a range of two ends. */
static inline void figure_set_most(struct figure_value *least, const struct figure_value *most)
{
	least->is_range = true;
	least->most = most->value;
	least->least_ci = least->ci;
	least->most_ci = most->ci;
	least->ci.high = most->ci.high;
}
