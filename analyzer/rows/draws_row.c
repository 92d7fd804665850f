#include "analyzer/rows/draws_row.h"

#include "base/enum_names.h"

double draws_log_ratio(size_t i)
{
	return ((double)i - DRAWS_RATIO_ASKED) * M_LN2 / 2;
}

const double DRAWS_SHIFT[DRAWS_SHIFTS] = {-1, -0.5, 0, 0.5, 1, 1.5, 2.5, 4};

#define MASSES(family)                                                                             \
	{family, 0.5}, {family, 0.6}, {family, 0.7}, {family, 0.8}, {family, 0.85}, {family, 0.9}, \
	        {family, 0.95}, {family, 0.98},                                                    \
	{                                                                                          \
		family, 0.99                                                                       \
	}
#define SHARES(family)                                                                             \
	{family, 0.5}, {family, 0.3}, {family, 0.2}, {family, 0.1}, {family, 0.05},                \
	        {family, 0.02},                                                                    \
	{                                                                                          \
		family, 0.01                                                                       \
	}

const struct draws_cut DRAWS_CUT[DRAWS_CUTS] = {
        {DRAWS_TOP_K, 1},
        {DRAWS_TOP_K, 2},
        {DRAWS_TOP_K, 3},
        {DRAWS_TOP_K, 5},
        {DRAWS_TOP_K, 8},
        {DRAWS_TOP_K, 10},
        {DRAWS_TOP_K, 15},
        {DRAWS_TOP_K, 20},
        {DRAWS_TOP_K, 30},
        {DRAWS_TOP_K, 40},
        MASSES(DRAWS_TOP_P),
        SHARES(DRAWS_MIN_P),
        MASSES(DRAWS_TOP_P_AFTER),
        SHARES(DRAWS_MIN_P_AFTER),
};

ENUM_NAMES(draws_penalty_name, enum draws_penalty, "repetition", "presence", "frequency");

ENUM_NAMES(draws_exclusion_name, enum draws_exclusion, "counts", "no_lists", "unlisted", "unknown",
        "response_format", "tools", "logit_bias", "min_tokens", "beams", "penalty_asked",
        "other_sampler", "repeated", "outside");
