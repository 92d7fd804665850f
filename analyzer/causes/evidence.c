#include "analyzer/causes/evidence.h"

#include <math.h>

#include "base/check.h"

static void add_prompt(struct evidence *v, int64_t base, int64_t test)
{
	if (base < 0 || test < 0) {
		return;
	}
	int64_t delta = test - base;
	v->prompt_n++;
	if (delta == 0) {
		return;
	}
	v->prompt_low = v->prompt_differ ? MIN(v->prompt_low, delta) : delta;
	v->prompt_high = v->prompt_differ ? MAX(v->prompt_high, delta) : delta;
	v->prompt_differ++;
}

static void add_leg(struct evidence_side *s, const struct row_side *leg)
{
	s->n.misspelt += leg->misspelt;
	s->n.contradictory += leg->contradictory;
	s->n.refused += leg->injection_refused;
	s->penalty = fmax(s->penalty, leg->default_penalty);
}

static void add_answer(struct evidence_side *s, const struct answer *a)
{
	s->n.without += a->without_tokens;
	s->n.positive += a->positive_tokens > 0;
	s->n.positive_tokens += a->positive_tokens;
	s->n.unusable += a->unusable_tokens > 0;
	s->n.unusable_tokens += a->unusable_tokens;
}

static void add_choices(struct evidence_side *s, const struct cause_choices *own)
{
	s->n.greedy_tokens += own->tokens;
	s->n.not_top += own->not_top;
	s->n.repeats += own->repeats;
	s->passed = fmax(s->passed, own->passed);
}

void evidence_add(struct evidence *v, const struct pair_row *row)
{
	const struct comparison *c = &row->c;
	if (row->is_first) {
		add_prompt(v, row->base.prompt_tokens, row->test.prompt_tokens);
		add_leg(&v->base, &row->base);
		add_leg(&v->test, &row->test);
	}
	if (!row->has_choices) {
		return;
	}
	v->ungraded += c->ungraded;
	add_answer(&v->base, &c->base);
	add_answer(&v->test, &c->test);
	if (c->decoding == DECODING_GREEDY) {
		add_choices(&v->base, &c->signs.base);
		add_choices(&v->test, &c->signs.test);
	}
}
