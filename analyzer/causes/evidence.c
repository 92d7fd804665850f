#include "analyzer/causes/evidence.h"

#include <math.h>

#include "base/check.h"

static void add_own(const struct cause_choices *own, uint64_t *tokens, uint64_t *not_top,
        uint64_t *repeats, double *passed)
{
	*tokens += own->tokens;
	*not_top += own->not_top;
	*repeats += own->repeats;
	*passed = fmax(*passed, own->passed);
}

static void add_numbers(struct evidence_numbers *n, const struct answer *a)
{
	n->positive += a->positive_tokens > 0;
	n->positive_tokens += a->positive_tokens;
	n->unusable += a->unusable_tokens > 0;
	n->unusable_tokens += a->unusable_tokens;
}

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

static void add_legs(struct evidence *v, const struct row_side *base, const struct row_side *test)
{
	add_prompt(v, base->prompt_tokens, test->prompt_tokens);
	v->base_misspelt += base->misspelt;
	v->test_misspelt += test->misspelt;
	v->base_contradictory += base->contradictory;
	v->test_contradictory += test->contradictory;
	v->base_refused += base->injection_refused;
	v->test_refused += test->injection_refused;
	v->base_penalty = fmax(v->base_penalty, base->default_penalty);
	v->test_penalty = fmax(v->test_penalty, test->default_penalty);
}

void evidence_add(struct evidence *v, const struct pair_row *row)
{
	const struct comparison *c = &row->c;
	if (row->is_first) {
		add_legs(v, &row->base, &row->test);
	}
	if (!row->has_choices) {
		return;
	}
	v->base_without += c->base.without_tokens;
	v->test_without += c->test.without_tokens;
	v->ungraded += c->ungraded;
	add_numbers(&v->base_numbers, &c->base);
	add_numbers(&v->test_numbers, &c->test);
	if (c->decoding == DECODING_GREEDY) {
		add_own(&c->signs.base, &v->base_greedy_tokens, &v->base_not_top, &v->base_repeats,
		        &v->base_passed);
		add_own(&c->signs.test, &v->test_greedy_tokens, &v->test_not_top, &v->test_repeats,
		        &v->test_passed);
	}
}

static void merge_numbers(struct evidence_numbers *n, const struct evidence_numbers *other)
{
	n->positive += other->positive;
	n->positive_tokens += other->positive_tokens;
	n->unusable += other->unusable;
	n->unusable_tokens += other->unusable_tokens;
}

static void merge_range(struct evidence *v, const struct evidence *other)
{
	if (other->prompt_differ == 0) {
		return;
	}
	bool any = v->prompt_differ > 0;
	v->prompt_low = any ? MIN(v->prompt_low, other->prompt_low) : other->prompt_low;
	v->prompt_high = any ? MAX(v->prompt_high, other->prompt_high) : other->prompt_high;
}

void evidence_merge(struct evidence *v, const struct evidence *other)
{
	merge_range(v, other);
	v->prompt_n += other->prompt_n;
	v->prompt_differ += other->prompt_differ;
	v->base_greedy_tokens += other->base_greedy_tokens;
	v->base_not_top += other->base_not_top;
	v->test_greedy_tokens += other->test_greedy_tokens;
	v->test_not_top += other->test_not_top;
	v->base_repeats += other->base_repeats;
	v->test_repeats += other->test_repeats;
	v->base_passed = fmax(v->base_passed, other->base_passed);
	v->test_passed = fmax(v->test_passed, other->test_passed);
	v->base_penalty = fmax(v->base_penalty, other->base_penalty);
	v->test_penalty = fmax(v->test_penalty, other->test_penalty);
	v->base_without += other->base_without;
	v->test_without += other->test_without;
	v->base_misspelt += other->base_misspelt;
	v->test_misspelt += other->test_misspelt;
	v->base_contradictory += other->base_contradictory;
	v->test_contradictory += other->test_contradictory;
	v->base_refused += other->base_refused;
	v->test_refused += other->test_refused;
	v->ungraded += other->ungraded;
	merge_numbers(&v->base_numbers, &other->base_numbers);
	merge_numbers(&v->test_numbers, &other->test_numbers);
}
