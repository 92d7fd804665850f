#pragma once
/*
 * choice - which requests of a source are replayed: filters, and a sample of what they leave.
 *
 * Pure.
 */
#include <stdbool.h>
#include <stdint.h>

#include "capture/filter.h"

/* What a replay can be asked to choose by: a request that was never sent has no answers. */
#define CHOICE_KEYS                                                                                \
	(FILTER_BIT(FILTER_MODEL) | FILTER_BIT(FILTER_ENDPOINT) | FILTER_BIT(FILTER_STREAM) |      \
	        FILTER_BIT(FILTER_TOOLS) | FILTER_BIT(FILTER_ID) | FILTER_BIT(FILTER_SESSION))

struct choice_rules {
	struct filters filters; /* .known: CHOICE_KEYS */
	double share;           /* 0 to 1; 1: all */
	bool by_session;
	uint64_t seed;
};

bool choice_takes(const struct choice_rules *r, const struct filter_request *f);
