#pragma once
/*
 * widest - the exchange with the clearest difference between greedy answers: the one with the
 * largest gap of the base at the first differing token; if no tokens are known, the one whose first
 * differing byte is earliest. Of equal ones the smaller exchange id wins, so the order of rows does
 * not matter.
 */
#include "analyzer/rows/rows.h"

struct widest { /* zero-initialised is empty */
	bool known, at_token;
	double size; /* nats; for texts: minus the byte's position */
	struct id exchange;
};

void widest_add(struct widest *w, const struct pair_row *row);
