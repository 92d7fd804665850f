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
	/* 0 to 1: the probability with which a request that passes the filters is chosen, so the
	 * sample has only about this share. A hash of `seed` and the exchange's id decides: equal
	 * seeds choose equal requests. */
	double share;
	/* decide by the session's id instead, so that sessions stay whole; a request without a
	 * session is still decided by itself */
	bool by_session;
	uint64_t seed;
};

/* True if the request is replayed. Set f->exchange and f->session even if no filter uses them. */
bool request_choice_selects(const struct request_choice_rules *r, const struct filter_request *f);
