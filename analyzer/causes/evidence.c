#include "analyzer/causes/evidence.h"

#include <math.h>

#include "analyzer/compare/tokens/listing.h"
#include "base/check.h"

#define REPEAT_WINDOW 256 /* tokens; more than engines' penalties usually look back */

/* Was the token that the engine passed over in the answer before? What a repetition penalty shuns.
 */
static bool avoids_repeat(const struct columns *c, uint32_t token, double *passed)
{
	uint32_t best = token ? c->top_end[token - 1] : 0;
	for (uint32_t row = best + 1; row < c->top_end[token]; row++) {
		best = c->top_lp[row] > c->top_lp[best] ? row : best;
	}
	struct span best_bytes = columns_top_token(c, best);
	for (uint32_t n = 0; n < REPEAT_WINDOW && n < token; n++) {
		if (span_equal(columns_token(c, token - 1 - n), best_bytes)) {
			double gap = (double)c->top_lp[best] - (double)c->lp[token];
			*passed = fmax(*passed, gap); /* a NaN is passed over */
			return true;
		}
	}
	return false;
}

static void count_not_top(const struct choice *choice, uint64_t *tokens, uint64_t *not_top,
        uint64_t *repeats, double *passed)
{
	const struct columns *c = &choice->columns;
	if (!choice->has_columns) {
		return;
	}
	for (uint32_t i = 0; i < c->n; i++) {
		bool told = listing_is_told(c, i);
		*tokens += told;
		if (told && (c->flags[i] & TOKEN_NOT_TOP)) {
			(*not_top)++;
			*repeats += avoids_repeat(c, i, passed);
		}
	}
}

void evidence_add_prompt(struct evidence *v, const struct usage *base, const struct usage *test)
{
	if (base->prompt_tokens < 0 || test->prompt_tokens < 0) {
		return;
	}
	int64_t delta = test->prompt_tokens - base->prompt_tokens;
	v->prompt_n++;
	if (delta == 0) {
		return;
	}
	v->prompt_low = v->prompt_differ ? MIN(v->prompt_low, delta) : delta;
	v->prompt_high = v->prompt_differ ? MAX(v->prompt_high, delta) : delta;
	v->prompt_differ++;
}

void evidence_add_choice(struct evidence *v, const struct choice *base, const struct choice *test,
        enum decoding decoding)
{
	v->base_without += !base->has_columns;
	v->test_without += !test->has_columns;
	if (decoding == DECODING_GREEDY) {
		count_not_top(base, &v->base_greedy_tokens, &v->base_not_top, &v->base_repeats,
		        &v->base_passed);
		count_not_top(test, &v->test_greedy_tokens, &v->test_not_top, &v->test_repeats,
		        &v->test_passed);
	}
}

static bool lacks_number(const struct columns *c, uint32_t token)
{
	bool lacks = (c->flags[token] & TOKEN_MISSING) != 0;
	for (uint32_t row = token ? c->top_end[token - 1] : 0; row < c->top_end[token]; row++) {
		lacks |= isnan(c->top_lp[row]);
	}
	return lacks;
}

void evidence_add_numbers(struct evidence_numbers *n, const struct choice *choice, uint32_t marks)
{
	const struct columns *c = &choice->columns;
	uint64_t lack = 0;
	if (!choice->has_columns || !(marks & (READING_POSITIVE_LOGPROBS | READING_NON_FINITE))) {
		return;
	}
	for (uint32_t i = 0; i < c->n; i++) {
		lack += lacks_number(c, i);
	}
	/* One above 0 makes all of a choice missing; another choice of that answer keeps its own. */
	if ((marks & READING_POSITIVE_LOGPROBS) && lack > 0 && lack == c->n) {
		n->positive++;
		n->positive_tokens += lack;
	} else if ((marks & READING_NON_FINITE) && lack > 0) {
		n->unusable++;
		n->unusable_tokens += lack;
	}
}

static void merge_numbers(struct evidence_numbers *n, const struct evidence_numbers *other)
{
	n->positive += other->positive;
	n->positive_tokens += other->positive_tokens;
	n->unusable += other->unusable;
	n->unusable_tokens += other->unusable_tokens;
}

/* A few may be ties in an engine's rounding; more than one in a thousand are not. */
bool evidence_not_top_counts(uint64_t not_top, uint64_t tokens)
{
	return not_top >= 3 && not_top * 1000 >= tokens;
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
