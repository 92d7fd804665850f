#pragma once
/*
 * widest - the exchange whose greedy answers part most clearly: at a token, by the base's gap
 * there; where no tokens are known, by how early the texts part. Of equal ones the first exchange:
 * the order of rows does not matter.
 */
#include "analyzer/rows/rows.h"

struct widest { /* zero-initialised is empty */
	bool known, at_token;
	double size; /* nats; of texts: the byte, negative */
	struct id exchange;
};

void widest_add(struct widest *w, const struct pair_row *row);
