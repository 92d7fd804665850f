#include "analyzer/fold/scores.h"

#include <math.h>

#include "analyzer/compare/tokens/first_difference_kind.h"
#include "analyzer/compare/tokens/flips.h"
#include "base/check.h"

static void add_answer(struct clusters **clusters, const struct score_row *row)
{
	struct clusters *c = clusters_of(clusters, N_SCORE_COLUMNS);
	uint32_t at = clusters_row(c, row->exchange.cluster);
	double n = (double)row->logprobs, delta = row->own - row->by_scorer;
	clusters_add(c, at, SCORE_ANSWERS, 0, 1);
	clusters_add(c, at, SCORE_POSITIONS, (double)row->positions, (double)row->tokens);
	clusters_add(c, at, SCORE_SAME_TOP, (double)row->tops_equal, (double)row->tops);
	if (row->logprobs > 0) {
		clusters_add(c, at, SCORE_LOGPROB, delta, n);
		clusters_add(c, at, SCORE_LOGPROB_SQUARE, row->delta_squares, n);
		clusters_add(c, at, SCORE_OF_ANSWERS, delta / n, 1);
		clusters_add(c, at, SCORE_OWN, row->own, n);
		clusters_add(c, at, SCORE_SCORER, row->by_scorer, n);
	}
	if (row->contrasts > 0) {
		clusters_add(c, at, SCORE_CONTRAST, row->contrast, (double)row->contrasts);
	}
	if (row->scorer_gaps > 0) {
		clusters_add(c, at, SCORE_GAPS, row->own_gaps, row->scorer_gaps);
		clusters_add(c, at, SCORE_GAP_PRODUCTS, row->gap_products, row->scorer_gaps);
	}
	if (row->logprobs > 0 && score_basis_is_comparable(row->basis)) {
		clusters_add(c, at, SCORE_K3, row->k3, (double)row->aligned);
		clusters_add(c, at, SCORE_K3_ANSWERS, 0, 1);
	}
}

static void add_cost(struct score_cost *c, const struct score_row *row)
{
	const uint64_t never = UINT64_MAX; /* it did not end */
	if (!row->scorer_us || !row->of_us || row->scorer_us == never || row->of_us == never ||
	        row->of_tokens < 0) {
		return;
	}
	c->answers++;
	c->scorer_us += row->scorer_us;
	c->of_us += row->of_us;
	c->tokens += (uint64_t)row->of_tokens;
	if (row->scorer_tokens >= 0) {
		c->n_stated++;
		c->tokens_read += (uint64_t)row->scorer_tokens;
	}
}

/* The texts are not compared, so none differs. */
static void add_prompt(struct cause_prompts *p, const struct score_row *row)
{
	const struct cause_prompt_pair pair = {
	        .base = row->scorer.prompt_tokens,
	        .test = row->of.prompt_tokens,
	        .messages = row->exchange.messages,
	        .system = row->exchange.system,
	};
	p->of_scores = true;
	cause_prompt_add(&p->of[cause_prompt_group_of(&pair)], &pair);
}

void scores_add(struct scores *s, const struct score_row *row)
{
	const struct row_side *scorer = &row->scorer, *of = &row->of;
	s->legs++;
	s->given_prompt += row->given_prompt;
	s->without += row->result == SCORE_WITHOUT;
	s->unmatched += row->result == SCORE_UNMATCHED;
	s->unreadable += row->result == SCORE_UNREADABLE;
	advice_engine_add_leg(
	        &s->scorer, scorer->leg, scorer->url, row_side_backend(scorer), scorer->dialect);
	advice_engine_add_leg(&s->of, of->leg, of->url, row_side_backend(of), of->dialect);
	add_cost(&s->cost, row);
	add_prompt(&s->prompts, row);
	if (row->result == SCORE_COUNTS) {
		log_histogram_merge(&s->gaps, &row->gap_sizes);
		log_histogram_merge(&s->noise, &row->noise_sizes);
		s->processed += !score_basis_is_comparable(row->basis);
		add_answer(&s->clusters[row->decoding], row);
		rollout_add(&s->rollout, row);
	}
}

void scores_finish(struct scores *s)
{
	for (size_t d = 0; d < N_DECODINGS; d++) {
		clusters_destroy(s->clusters[d]);
	}
	rollout_finish(&s->rollout);
}

/* ret[N_SCORE_FIGURES] */
static void estimate(const struct clusters *c, struct estimate *ret)
{
	static const enum score_figure RATES[] = {SCORE_POSITIONS, SCORE_SAME_TOP};
	clusters_estimate_each(c, N_SCORE_FIGURES, ret);
	for (size_t i = 0; i < ARRAY_LEN(RATES); i++) {
		const struct counted of = {RATES[i], SCORE_ANSWERS, .several = true};
		clusters_estimate_counted(c, &of, &ret[RATES[i]]);
	}
}

static uint64_t whole_of(const struct clusters *c, size_t column)
{
	return (uint64_t)clusters_total(c, column).whole;
}

static void settle(const struct clusters *c, struct score_split *ret)
{
	estimate(c, ret->values);
	ret->answers = whole_of(c, SCORE_ANSWERS);
	ret->tokens = whole_of(c, SCORE_POSITIONS);
	ret->positions = (uint64_t)clusters_total(c, SCORE_POSITIONS).part;
	ret->tops = whole_of(c, SCORE_SAME_TOP);
	ret->tops_equal = (uint64_t)clusters_total(c, SCORE_SAME_TOP).part;
	ret->logprobs = whole_of(c, SCORE_LOGPROB);
	ret->aligned = whole_of(c, SCORE_K3);
	ret->means = whole_of(c, SCORE_OF_ANSWERS);
}

static struct clusters *merged(const struct scores *s, bool greedy)
{
	struct clusters *all = NULL;
	for (size_t d = 0; d < N_DECODINGS; d++) {
		if (d != DECODING_GREEDY || greedy) {
			clusters_merge(&all, s->clusters[d]);
		}
	}
	return all;
}

void scores_estimate(const struct scores *s, size_t column, struct estimate *ret)
{
	const struct term of = {column, 1};
	struct clusters *all = merged(s, true);
	clusters_estimate_linear(all, &of, 1, ret);
	clusters_destroy(all);
}

struct score_flips scores_flips(const struct scores *s)
{
	const struct score_split *all = &s->splits[N_DECODINGS];
	double sigma = first_sigma(&s->noise);
	double each = flips_expected(&s->gaps, sigma) / (double)log_histogram_count(&s->gaps);
	double tokens = (double)all->tokens / (double)all->answers;
	return (struct score_flips){sigma, 1000 * each, 1 - pow(1 - each, tokens)};
}

void scores_settle(struct scores *s)
{
	struct clusters *all = merged(s, true);
	for (size_t d = 0; d < N_DECODINGS; d++) {
		settle(s->clusters[d], &s->splits[d]);
	}
	settle(all, &s->splits[N_DECODINGS]);
	clusters_destroy(all);
	rollout_settle(&s->rollout);
}

bool scores_decide(const struct scores *s, bool greedy)
{
	for (size_t d = 0; d < N_DECODINGS; d++) {
		bool counts = d != DECODING_GREEDY || greedy;
		if (counts && whole_of(s->clusters[d], SCORE_K3) > 0) {
			return true;
		}
	}
	return false;
}

static struct figure_value value_of(const struct clusters *c, enum score_figure f)
{
	struct estimate all[N_SCORE_FIGURES];
	estimate(c, all);
	struct interval ci = all[f].ci;
	return (struct figure_value){
	        .n = (double)whole_of(c, f),
	        .value = all[f].value,
	        .ci = {ci.low < 0 ? 0 : ci.low, ci.high}, /* fmax(0, NaN) would be 0 */
	        .clusters = all[f].clusters,
	};
}

/* Subtracts the floor's k3 from the answers' k3. The merged clusters hold the answers' k3 in
 * column 0 and the floor's in column 1. */
static void subtract_floor(
        const struct clusters *answers, const struct clusters *floor, struct score_excess *ret)
{
	static const size_t OF_ANSWERS[] = {SCORE_K3, SCORE_EMPTY};
	static const size_t OF_FLOOR[] = {SCORE_EMPTY, SCORE_K3};
	const struct term own = {1, 1}, over[] = {{0, 1}, {1, -1}};
	const struct terms difference = {over, ARRAY_LEN(over)};
	struct clusters *both = clusters_columns(answers, OF_ANSWERS, 2);
	struct clusters *of_floor_columns = clusters_columns(floor, OF_FLOOR, 2);
	struct estimate of_floor;
	clusters_merge(&both, of_floor_columns);
	clusters_estimate_linear(both, &own, 1, &of_floor);
	clusters_estimate_all(both, &difference, 1, &ret->over);
	ret->floor = of_floor.value;
	clusters_destroy(of_floor_columns);
	clusters_destroy(both);
}

void scores_judge(struct scores *s, bool greedy, const struct scores *floor)
{
	struct score_excess *e = &s->excess;
	struct clusters *answers = scores_decide(s, greedy) ? merged(s, greedy) : NULL;
	*e = (struct score_excess){
	        .floor = NAN, .over = {.value = NAN, .ci = {NAN, NAN}, .error = NAN}};
	e->k3 = e->same_top = (struct figure_value){.value = NAN, .ci = {NAN, NAN}};
	if (!answers) {
		return;
	}
	e->answers = whole_of(answers, SCORE_K3_ANSWERS);
	e->k3 = value_of(answers, SCORE_K3);
	e->same_top = value_of(answers, SCORE_SAME_TOP);
	if (floor && scores_decide(floor, greedy)) {
		struct clusters *own = merged(floor, greedy);
		subtract_floor(answers, own, e);
		if (isnan(e->k3.ci.low)) { /* the floor's prompts say nothing about one prompt */
			e->over.ci = e->k3.ci;
		}
		clusters_destroy(own);
	}
	clusters_destroy(answers);
}
