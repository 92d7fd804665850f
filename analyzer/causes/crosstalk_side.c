#include "analyzer/causes/crosstalk_side.h"

#include <math.h>

#include "analyzer/stats/proportion.h"

void crosstalk_side_add(struct crosstalk_side *s, const struct crosstalk_row *row)
{
	s->heard += row->under_way;
	s->greedy_heard += row->under_way && row->greedy;
	s->elsewhere += row->elsewhere;
	s->control += row->control;
	s->both += row->under_way && row->control;
	if (row->under_way || row->elsewhere) {
		exact_sum_add(&s->chance, row->chance, &s->losses);
	}
	if (row->under_way) {
		cause_exchanges_add(&s->exchanges, row->exchange);
	}
}

double crosstalk_side_p(const struct crosstalk_side *s)
{
	uint64_t n = s->heard + s->elsewhere;
	return n ? proportion_binomial_above(
	                   (double)s->heard, (double)n, exact_sum_value(&s->chance) / (double)n)
	         : NAN;
}

double crosstalk_side_control_p(const struct crosstalk_side *s)
{
	uint64_t only_this = s->heard - s->both, only_other = s->control - s->both;
	uint64_t n = only_this + only_other;
	return n ? proportion_binomial_above((double)only_this, (double)n, 0.5) : 1;
}
