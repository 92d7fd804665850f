#pragma once
/*
 * widest - the exchange with the clearest difference between greedy answers: the one with the
 * largest gap of the base at the first differing token; if no tokens are known, the one with the
 * earliest differing byte. If two are equal, the smaller exchange id wins, so the order of rows
 * does not matter.
 */
#include "analyzer/rows/rows.h"

struct widest { /* zero-initialised: empty */
	bool known, at_token;
	double size; /* nats; for texts: minus the byte's position */
	struct id exchange;
};

void widest_add(struct widest *w, const struct pair_row *row);
