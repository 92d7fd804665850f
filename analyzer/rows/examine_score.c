#include "analyzer/rows/examine_score.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/rows/names.h"
#include "analyzer/stats/exact_sum.h"
#include "backends/score_match.h"
#include "base/mem.h"

size_t score_leg_of(const struct capture_exchange *e, const struct leg_row *scorer)
{
	for (size_t i = 0; i < e->n_legs; i++) {
		if (id_compare(e->legs[i].row.id, scorer->score_of) == 0 &&
		        !(e->legs[i].row.marks & LEG_SCORED)) {
			return i;
		}
	}
	return e->n_legs;
}

static bool has_top(const struct columns *c, uint32_t i)
{
	return c->top_end[i] > (i ? c->top_end[i - 1] : 0);
}

static void add_position(struct score_row *to, const struct columns *a, uint32_t i,
        const struct columns *s, uint32_t j)
{
	double own = (double)a->lp[i], by_scorer = (double)s->lp[j], delta = own - by_scorer;
	to->positions++;
	if (has_top(s, j) && !(s->flags[j] & TOKEN_MISSING)) {
		to->tops++;
		to->tops_equal += !(s->flags[j] & TOKEN_NOT_TOP);
	}
	if (isfinite(own) && isfinite(by_scorer)) {
		to->logprobs++;
		to->own += own;
		to->by_scorer += by_scorer;
		to->delta_squares += delta * delta;
		to->k3 += fmin(expm1(-delta) + delta, EXACT_SUM_LIMIT);
	}
}

static enum score_result add_answer(const struct score_input *in, const struct choice *c,
        const struct score_place *place, struct score_row *to)
{
	const struct columns *a = &c->columns;
	uint32_t *number = xmalloc((a->n + 1) * sizeof(*number));
	bool matched = score_match(in->answer, c, place, number) > 0;
	for (uint32_t i = 0; matched && i < a->n; i++) {
		if (number[i] != SCORE_NONE) {
			add_position(to, a, i, place->columns, number[i]);
		}
	}
	to->tokens = matched ? a->n : 0;
	free(number);
	return matched ? SCORE_COUNTS : SCORE_UNMATCHED;
}

static enum score_result add(const struct score_input *in, struct score_row *to)
{
	struct score_place place;
	if (!in->of) {
		return SCORE_ORPHAN;
	}
	const struct choice *c = in->answer ? reading_choice(in->answer, 0) : NULL;
	if (!c || !in->scored || !score_columns(in->scored, &place)) {
		return SCORE_UNREADABLE;
	}
	place.at = in->scorer->score_at;
	if (!c->has_columns || c->columns.n == 0) {
		return SCORE_WITHOUT;
	}
	return add_answer(in, c, &place, to);
}

void examine_score(const struct score_input *in, struct score_row *ret)
{
	*ret = (struct score_row){
	        .exchange = in->exchange,
	        .leg = in->scorer->id,
	        .scorer = names_of_backend(in->scorer),
	        .scorer_role = in->scorer->role,
	        .of = in->of ? names_of_backend(in->of) : NULL,
	        .of_role = in->of ? in->of->role : ROLE_PRIMARY,
	        .decoding = in->decoding,
	};
	memcpy(ret->cluster, in->cluster, sizeof(ret->cluster));
	ret->result = add(in, ret);
}
