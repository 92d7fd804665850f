#include "analyzer/rows/examine_score.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/compare/tokens/bounds.h"
#include "analyzer/compare/tokens/first_difference_kind.h"
#include "analyzer/compare/tokens/position.h"
#include "analyzer/compare/tokens/score_contrast.h"
#include "analyzer/stats/exact_sum.h"
#include "backends/scoring/score_match.h"
#include "backends/injection/parameter.h"
#include "base/mem.h"
#include "base/utf8.h"

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

void score_row_add(struct score_row *to, uint32_t i, double d)
{
	double ratio = exp(fmin(d, SCORE_LOG_RATIO_LIMIT)), size = fabs(d);
	double k3 = fmin(bounds_k3(d), EXACT_SUM_LIMIT);
	size_t span = 0;
	while (span + 1 < SCORE_SPANS && i >= SCORE_SPAN_AT(span + 1)) {
		span++;
	}
	to->aligned++;
	to->k3 += k3;
	to->delta += d;
	to->delta_sizes += size;
	to->delta_max = fmax(to->delta_max, size);
	to->ratios += ratio;
	to->ratio_squares += ratio * ratio;
	to->ratios_outside += size > M_LN2;
	signed_histogram_add(&to->log_ratios, d);
	to->sizes_at[span].n++;
	to->sizes_at[span].sum += size;
	to->k3_at[span].n++;
	to->k3_at[span].sum += k3;
}

/* aligned: both sides have the same tokens up to this position. */
static void add_position(struct score_row *to, const struct columns *a, uint32_t i,
        const struct columns *s, uint32_t j, bool aligned)
{
	double own = (double)a->lp[i], by_scorer = (double)s->lp[j];
	to->positions++;
	bool has_top = s->top_end[j] > (j ? s->top_end[j - 1] : 0);
	if (has_top && !(s->flags[j] & TOKEN_MISSING)) {
		to->tops++;
		to->tops_equal += !(s->flags[j] & TOKEN_NOT_TOP);
	}
	if (isfinite(own) && isfinite(by_scorer)) {
		to->logprobs++;
		to->own += own;
		to->by_scorer += by_scorer;
		to->delta_squares += (own - by_scorer) * (own - by_scorer);
		if (aligned) {
			score_row_add(to, i, by_scorer - own);
		}
	}
}

/* Whether the request itself sets a penalty or temperature; their effect is then no difference. */
struct requested {
	bool penalty, temperature;
};

static bool requests(const struct decoding_side *side, enum parameter p)
{
	double value = parameter_asked(p, side->dialect, side->facts);
	return !isnan(value) && !parameter_is_off(p, side->dialect, value);
}

static struct requested read_requested(const struct score_input *in)
{
	const struct decoding_side *side = &in->decoding;
	double temperature = parameter_asked(PARAMETER_TEMPERATURE, side->dialect, side->facts);
	return (struct requested){
	        .penalty = in->is_constrained || requests(side, PARAMETER_REPETITION) ||
	                   requests(side, PARAMETER_PRESENCE) ||
	                   requests(side, PARAMETER_FREQUENCY),
	        .temperature = in->is_constrained || (!isnan(temperature) && temperature != 1),
	};
}

static void add_contrast(
        struct score_row *to, const struct score_contrast *c, const struct requested *requested)
{
	if (!requested->penalty && !isnan(c->moved)) {
		to->contrasts++;
		to->contrast += c->moved;
	}
	if (!requested->temperature && !isnan(c->own_gap)) {
		to->own_gaps += c->own_gap * c->own_gap;
		to->scorer_gaps += c->scorer_gap * c->scorer_gap;
		to->gap_products += c->own_gap * c->scorer_gap;
	}
}

static void add_gap(struct score_row *to, const struct listing *own, const struct listing *scorer)
{
	struct position p;
	position_read(scorer, own, &p);
	log_histogram_add(&to->gap_sizes, position_gap(&p));
	log_histogram_add(&to->noise_sizes, first_noise(scorer, own));
}

/* Compares the lists of both sides at the positions where both have the same tokens. */
static void compare_lists(const struct score_input *in, const struct columns *a,
        const struct columns *s, const uint32_t *number, uint32_t n, struct score_row *to)
{
	const struct requested requested = read_requested(in);
	struct recent_tokens seen;
	recent_tokens_begin(&seen);
	for (uint32_t i = 0; i < n; i++) {
		if (number[i] != SCORE_NONE && listing_is_usable(a, i) &&
		        listing_is_usable(s, number[i])) {
			struct listing own = listing_at(a, i), scorer = listing_at(s, number[i]);
			struct score_contrast c =
			        score_contrast_at(&own, &scorer, &seen, in->words, i);
			add_contrast(to, &c, &requested);
			if (score_basis_is_comparable(to->basis)) {
				add_gap(to, &own, &scorer);
			}
		}
		recent_tokens_add(&seen, columns_token(a, i), i);
	}
}

/* Whether the token is empty or only part of a character. Scorers may spell such tokens
 * otherwise, or leave them out. */
static bool is_part_of_character(const struct columns *c, uint32_t i)
{
	struct span token = columns_token(c, i);
	return token.len == 0 || !utf8_valid(token);
}

/* The tokens that the scorer read before the answer. If the answer's first token does not begin
 * with a token of the scorer, one of the scorer's tokens is of both, and the number is unknown. */
static int64_t prompt_tokens_of(
        const struct score_input *in, const struct score_place *place, uint32_t first)
{
	int64_t read = in->scorer->usage.prompt_tokens;
	int64_t of_answer = (int64_t)place->columns->n - place->tail - place->at;
	bool own = !(in->scorer->marks & LEG_GIVEN_PROMPT);
	return own && first == place->at && read >= of_answer ? read - of_answer : -1;
}

static enum score_result add_answer(const struct score_input *in, const struct choice *c,
        const struct score_place *place, struct score_row *to)
{
	const struct columns *a = &c->columns;
	uint32_t *number = xmalloc((a->n + 1) * sizeof(*number));
	bool matched = score_match(in->answer, c, place, number) > 0, aligned = true;
	uint32_t n_aligned = 0;
	for (uint32_t i = 0; matched && i < a->n; i++) {
		/* Once the scorer has split the text differently, its scores depend on a
		 * different sequence of tokens. */
		aligned &= number[i] == place->at + i ||
		           (number[i] == SCORE_NONE && is_part_of_character(a, i));
		n_aligned += aligned;
		if (number[i] != SCORE_NONE) {
			add_position(to, a, i, place->columns, number[i], aligned);
		}
	}
	if (!place->redacted) { /* else the lists have placeholders */
		compare_lists(in, a, place->columns, number, n_aligned, to);
	}
	to->tokens = matched ? a->n : 0;
	to->scorer.prompt_tokens = matched ? prompt_tokens_of(in, place, number[0]) : -1;
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
	place.redacted = in->scorer->content == CONTENT_REDACTED;
	if (!c->has_columns || c->columns.n == 0) {
		return SCORE_WITHOUT;
	}
	return add_answer(in, c, &place, to);
}

static bool is_off(const struct decoding_side *side, enum parameter p)
{
	double value =
	        parameter_effective(p, side->dialect, side->stated, side->endpoint, side->facts);
	return isnan(value) || parameter_is_off(p, side->dialect, value);
}

/* If neither the request nor a known default sets the temperature, it is 1, as the API defines. */
static enum score_basis basis_of(const struct decoding_side *side, enum decoding decoding)
{
	bool raw = side->basis == LOGPROBS_RAW || side->basis == LOGPROBS_RAW_BY_DEFAULT;
	double temperature = parameter_effective(
	        PARAMETER_TEMPERATURE, side->dialect, side->stated, side->endpoint, side->facts);
	bool penalised = !is_off(side, PARAMETER_REPETITION) || !is_off(side, PARAMETER_PRESENCE) ||
	                 !is_off(side, PARAMETER_FREQUENCY);
	bool filtered = !is_off(side, PARAMETER_TOP_P) || !is_off(side, PARAMETER_TOP_K) ||
	                !is_off(side, PARAMETER_MIN_P);
	bool scaled = !isnan(temperature) && temperature != 1;
	if (decoding == DECODING_GREEDY) {
		return SCORE_GREEDY;
	}
	if (!(penalised || filtered || scaled)) {
		return SCORE_AS_DRAWN;
	}
	if (side->basis == LOGPROBS_PROCESSED) {
		return SCORE_PROCESSED;
	}
	return !raw        ? SCORE_MIXED
	       : penalised ? SCORE_PENALISED
	       : filtered  ? SCORE_FILTERED
	                   : SCORE_TEMPERATURE;
}

/* As a row is written. */
static void round_sums(struct position_sum sums[SCORE_SPANS])
{
	for (size_t i = 0; i < SCORE_SPANS; i++) {
		sums[i].sum = (double)(float)sums[i].sum;
	}
}

void examine_score(const struct score_input *in, struct score_row *ret)
{
	ret->given_prompt = in->scorer->marks & LEG_GIVEN_PROMPT;
	ret->scorer_us = in->scorer->end_us;
	ret->scorer_tokens = in->scorer->usage.prompt_tokens;
	ret->scorer.prompt_tokens = -1;
	ret->of_tokens = -1;
	if (in->of) {
		ret->of_us = in->of->end_us;
		ret->of_tokens = in->of->usage.completion_tokens;
		ret->decoding = decoding_of_pair(in->decoding.facts, in->decoding.facts);
		ret->basis = basis_of(&in->decoding, ret->decoding);
	}
	ret->result = add(in, ret);
	round_sums(ret->sizes_at);
	round_sums(ret->k3_at);
}
