#include "analyzer/fold/widest.h"

#include <math.h>

static bool is_wider(const struct widest *a, const struct widest *b)
{
	if (!a->known || !b->known) {
		return a->known;
	}
	if (a->at_token != b->at_token) {
		return a->at_token;
	}
	if (a->size != b->size) {
		return a->size > b->size;
	}
	return id_compare(a->exchange, b->exchange) < 0;
}

void widest_add(struct widest *w, const struct pair_row *row)
{
	const struct positions *p = &row->c.positions;
	struct widest one = {.known = row->c.differ && !row->c.placement_differs,
	        .at_token = p->has_first && !isnan(p->first.gap_r),
	        .exchange = row->exchange.id};
	one.size = one.at_token ? p->first.gap_r : -(double)row->c.first_byte;
	if (is_wider(&one, w)) {
		*w = one;
	}
}
