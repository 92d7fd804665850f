#pragma once
/*
 * request_choice - selects the requests of a source that are replayed: by filters, then as a random
 * sample of the requests that pass them. Pure.
 */
#include <stdbool.h>
#include <stdint.h>

#include "capture/filter.h"

/* The filters that a replay can use. A filter on answers is not among them, because a request
 * that was never sent has no answer. */
#define REQUEST_CHOICE_KEYS                                                                        \
	(FILTER_BIT(FILTER_MODEL) | FILTER_BIT(FILTER_ENDPOINT) | FILTER_BIT(FILTER_STREAM) |      \
	        FILTER_BIT(FILTER_TOOLS) | FILTER_BIT(FILTER_ID) | FILTER_BIT(FILTER_SESSION))

struct request_choice_rules {
	struct filters filters; /* filters.known must be REQUEST_CHOICE_KEYS */
	double share;           /* of the requests that pass the filters; 0 to 1 */
	bool by_session;        /* draw whole sessions for the sample; false: single requests */
	uint64_t seed;
};

/* True if the request is replayed. */
bool request_choice_selects(const struct request_choice_rules *r, const struct filter_request *f);
