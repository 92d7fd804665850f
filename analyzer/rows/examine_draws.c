#include "analyzer/rows/examine_draws.h"

#include <math.h>

#include "analyzer/compare/tokens/recent_tokens.h"
#include "base/check.h"

/* Limits for the head: the few most probable tokens. */
#define HEAD_TOKENS 5
#define HEAD_MASS 0.8
#define HEAD_SHARE 0.1
/* Tokens this near to a cut may be on its other side in the engine's own arithmetic. */
#define NEAR_LP 0.02
#define NEAR_MASS 0.002
#define LEAST_PRODUCT 1e-200
#define OUTSIDE_TOKENS 20 /* see DRAWS_OUTSIDE */

/* One position: weights of the candidates at each ratio. */
struct position_draw {
	const struct draws_list *list;
	double weight[DRAWS_RATIOS][DRAWS_LIST_LIMIT];
	double labels[N_DRAWS_PENALTIES][HEAD_TOKENS];
	size_t head; /* candidates */
};

/* The sums of one answer. Products replace sums of logarithms. */
struct answer_draws {
	double scale[DRAWS_RATIOS]; /* of logprobs: 1 / temperature times the ratio */
	double factor[DRAWS_SHIFTS][DRAWS_COUNT_MOST + 1]; /* exp(-shift * label) */
	double none_beyond[DRAWS_CUTS][DRAWS_MIDDLE];
	struct draws_sums sums;
	double chance;
	struct draws_counts *counts;
};

/* Ratios are powers of the square root of 2, so the weight two steps further is the square of a
 * weight. */
static void weigh(const struct answer_draws *a, struct position_draw *p)
{
	const struct draws_list *l = p->list;
	for (size_t i = 0; i < l->n; i++) {
		p->weight[0][i] = exp(a->scale[0] * l->lp[i]);
		p->weight[1][i] = exp(a->scale[1] * l->lp[i]);
	}
	for (size_t r = 2; r < DRAWS_RATIOS; r++) {
		for (size_t i = 0; i < l->n; i++) {
			p->weight[r][i] = p->weight[r - 2][i] * p->weight[r - 2][i];
		}
	}
}

/* With u the logarithm of the ratio and x = b exp(u) l: d/du log P = x_c - E x, and its own
 * derivative is x_c - E x - Var x. */
static void add_ratio(const struct answer_draws *a, const struct position_draw *p, size_t n,
        double *slope, double *curvature)
{
	const struct draws_list *l = p->list;
	for (size_t r = 0; r < DRAWS_RATIOS; r++) {
		double scale = a->scale[r], sum = 0, mean = 0, square = 0;
		for (size_t i = 0; i < n; i++) {
			double x = scale * l->lp[i], w = p->weight[r][i];
			sum += w;
			mean += w * x;
			square += w * x * x;
		}
		mean /= sum;
		double own = scale * l->lp[l->chosen] - mean;
		slope[r] += own;
		curvature[r] += square / sum - mean * mean - own;
	}
}

/* Returns the index of the first candidate beyond the cut. */
static size_t first_beyond(const struct draws_list *l, const struct draws_cut *cut)
{
	size_t i = 0;
	switch (cut->family) {
	case DRAWS_TOP_K:
		while (i < l->n && l->rank[i] < cut->at) {
			i++;
		}
		/* Of several equally probable tokens at the cut, an engine may keep any. */
		while (i > 0 && i < l->n && l->lp[i] > l->lp[i - 1] - NEAR_LP) {
			i++;
		}
		return i;
	case DRAWS_TOP_P:
		while (i < l->n && l->mass[i] < cut->at + NEAR_MASS) {
			i++;
		}
		return i;
	case DRAWS_TOP_P_AFTER:
		while (i < l->n && l->mass_after[i] < cut->at + NEAR_MASS) {
			i++;
		}
		return i;
	case DRAWS_MIN_P:
		while (i < l->n && l->share[i] > cut->at * (1 - NEAR_LP)) {
			i++;
		}
		return i;
	default:
		while (i < l->n && l->share_after[i] > cut->at * (1 - NEAR_LP)) {
			i++;
		}
		return i;
	}
}

static void fold_product(double *product, double *sum)
{
	*sum -= log(*product);
	*product = 1;
}

static void add_cuts(struct answer_draws *a, const struct position_draw *p, bool after_too)
{
	const struct draws_list *l = p->list;
	double within[DRAWS_MIDDLE][DRAWS_LIST_LIMIT + 1]; /* weight of the candidates before i */
	for (size_t m = 0; m < DRAWS_MIDDLE; m++) {
		within[m][0] = 0;
		for (size_t i = 0; i < l->n; i++) {
			within[m][i + 1] = within[m][i] + p->weight[DRAWS_MIDDLE_FROM + m][i];
		}
	}
	for (size_t k = 0; k < DRAWS_CUTS; k++) {
		const struct draws_cut *cut = &DRAWS_CUT[k];
		bool after = cut->family == DRAWS_TOP_P_AFTER || cut->family == DRAWS_MIN_P_AFTER;
		size_t from = after && !after_too ? l->n : first_beyond(l, cut);
		a->counts->cut_seen[k] += l->chosen >= from;
		for (size_t m = 0; from > 0 && from < l->n && m < DRAWS_MIDDLE; m++) {
			double *product = &a->none_beyond[k][m];
			*product *= within[m][from] / within[m][l->n];
			if (*product < LEAST_PRODUCT) {
				fold_product(product, &a->sums.cut[k][m]);
			}
		}
	}
}

static bool labels_differ(const double *labels, size_t n)
{
	for (size_t i = 1; i < n; i++) {
		if (labels[i] != labels[0]) {
			return true;
		}
	}
	return false;
}

/* d/dd log P = E x - x_c, with x the label. */
static void add_shifts(struct answer_draws *a, const struct position_draw *p, enum draws_penalty of)
{
	const double *x = p->labels[of];
	for (size_t m = 0; m < DRAWS_SHIFT_RATIOS; m++) {
		for (size_t s = 0; s < DRAWS_SHIFTS; s++) {
			double sum = 0, mean = 0, square = 0;
			for (size_t i = 0; i < p->head; i++) {
				double w = p->weight[DRAWS_SHIFT_RATIO(m)][i] *
				           a->factor[s][(size_t)x[i]];
				sum += w;
				mean += w * x[i];
				square += w * x[i] * x[i];
			}
			mean /= sum;
			a->sums.shift_slope[of][m][s] += mean - x[p->list->chosen];
			a->sums.shift_curvature[of][m][s] += square / sum - mean * mean;
		}
	}
}

static void add_head(struct answer_draws *a, struct position_draw *p, const struct draws_input *in,
        const struct recent_tokens *seen, uint32_t at)
{
	const struct draws_list *l = p->list;
	const struct columns *c = &in->choice->columns;
	size_t head = 0;
	while (head < l->n && l->rank[head] < HEAD_TOKENS && l->mass[head] < HEAD_MASS &&
	        l->share[head] >= HEAD_SHARE) {
		head++;
	}
	p->head = head;
	if (p->head < 2 || l->chosen >= p->head) {
		return;
	}
	add_ratio(a, p, p->head, a->sums.head_slope, a->sums.head_curvature);
	for (size_t i = 0; i < p->head; i++) {
		struct span token = columns_top_token(c, l->row[i]);
		uint32_t count = recent_tokens_count(seen, token, at);
		p->labels[DRAWS_FREQUENCY][i] = MIN(count, (uint32_t)DRAWS_COUNT_MOST);
		p->labels[DRAWS_PRESENCE][i] = count > 0;
		p->labels[DRAWS_REPETITION][i] = count > 0 || request_words_have(in->words, token);
	}
	for (size_t k = 0; k < N_DRAWS_PENALTIES; k++) {
		if (labels_differ(p->labels[k], p->head)) {
			add_shifts(a, p, (enum draws_penalty)k);
		}
	}
}

static void add_ranks(struct answer_draws *a, const struct position_draw *p)
{
	const struct draws_list *l = p->list;
	const double *w = p->weight[DRAWS_RATIO_ASKED];
	double sum = 0;
	for (size_t i = 0; i < l->n; i++) {
		sum += w[i];
	}
	for (size_t i = 0; i < MIN(l->n, (size_t)DRAWS_RANKS); i++) {
		double share = w[i] / sum;
		a->sums.expected[i] += share;
		a->sums.variance[i] += share * (1 - share);
	}
	if (l->chosen < DRAWS_RANKS) {
		a->counts->chosen[l->chosen]++;
	}
	a->chance += log(w[l->chosen] / sum);
}

static void add_draw(struct answer_draws *a, const struct draws_input *in,
        const struct draws_list *l, const struct recent_tokens *seen, uint32_t at)
{
	struct position_draw p = {.list = l};
	weigh(a, &p);
	add_ratio(a, &p, l->n, a->sums.slope, a->sums.curvature);
	add_cuts(a, &p, in->requested.temperature != 1);
	add_ranks(a, &p);
	add_head(a, &p, in, seen, at);
}

static double rounded(double x)
{
	double unit = x != 0 ? pow(10, floor(log10(fabs(x))) - (DRAWS_DIGITS - 1)) : 1;
	return unit < 1 ? round(x / unit) / round(1 / unit) : round(x / unit) * unit;
}

static void put_sums(struct answer_draws *a, struct draws_sums *ret)
{
	for (size_t k = 0; k < DRAWS_CUTS; k++) {
		for (size_t m = 0; m < DRAWS_MIDDLE; m++) {
			fold_product(&a->none_beyond[k][m], &a->sums.cut[k][m]);
		}
	}
	*ret = a->sums;
	double *all = (double *)(void *)ret;
	for (size_t i = 0; i < DRAWS_SUMS; i++) {
		all[i] = (double)(float)rounded(all[i]);
	}
}

static void begin(struct answer_draws *a, double temperature, struct draws_counts *counts)
{
	*a = (struct answer_draws){.counts = counts};
	for (size_t r = 0; r < DRAWS_RATIOS; r++) {
		a->scale[r] = exp(draws_log_ratio(r)) / temperature;
	}
	for (size_t s = 0; s < DRAWS_SHIFTS; s++) {
		for (size_t i = 0; i <= DRAWS_COUNT_MOST; i++) {
			a->factor[s][i] = exp(-DRAWS_SHIFT[s] * (double)i);
		}
	}
	for (size_t k = 0; k < DRAWS_CUTS; k++) {
		for (size_t m = 0; m < DRAWS_MIDDLE; m++) {
			a->none_beyond[k][m] = 1;
		}
	}
}

/* The tokens of one answer that the engine chose outside of its lists. */
struct outside {
	uint64_t tokens, seen;
	double expected; /* upper bound of the expected value of `seen`, at temperatures up to 1 */
};

/* A chosen token that is more probable than the last candidate was left out of the list, which then
 * says nothing about the other tokens. */
static void add_outside(
        struct outside *o, const struct columns *c, uint32_t token, const struct draws_list *l)
{
	o->tokens++;
	o->seen += l->chosen == l->n && c->lp[token] <= c->top_lp[l->row[l->n - 1]];
	o->expected += fmax(0, 1 - l->mass[l->n - 1]);
}

static bool is_outside(const struct outside *o, const struct draws_requested *requested,
        const struct draws_counts *counts)
{
	return 2 * counts->draws < counts->tokens && requested->temperature <= 1 &&
	       o->tokens >= OUTSIDE_TOKENS && 2 * o->seen > o->tokens &&
	       4 * o->expected < (double)o->tokens;
}

enum draws_exclusion examine_draws(
        const struct draws_input *in, struct draws_row *row, double *ret_chance)
{
	const struct columns *c = &in->choice->columns;
	const struct draws_requested *requested = &in->requested;
	/* If the client requested a cut, that may be why a list is short. */
	bool cut = requested->top_k > 0 || requested->top_p < 1 || requested->min_p > 0;
	struct draws_counts *counts = &row->counts;
	struct answer_draws a;
	struct outside outside = {0};
	struct recent_tokens seen;
	begin(&a, requested->temperature, counts);
	recent_tokens_begin(&seen);
	row->longest = in->choice->has_columns ? draws_list_usual(c) : 0;
	for (uint32_t i = 0; row->longest > 0 && i < c->n; i++) {
		struct draws_list l;
		bool filtered;
		if (draws_list_read(c, i, row->longest, requested, &l, &filtered)) {
			counts->tokens++;
			counts->filtered += filtered && !cut;
			counts->draws += l.chosen < l.n;
			if (l.n > 1) {
				add_outside(&outside, c, i, &l);
				if (l.chosen < l.n) {
					add_draw(&a, in, &l, &seen, i);
				}
			}
		}
		recent_tokens_add(&seen, columns_token(c, i), i);
	}
	put_sums(&a, &row->sums);
	*ret_chance = a.chance;
	return counts->tokens == 0                       ? DRAWS_NO_LISTS
	       : is_outside(&outside, requested, counts) ? DRAWS_OUTSIDE
	       : 2 * counts->draws < counts->tokens      ? DRAWS_UNLISTED
	                                                 : DRAWS_COUNTS;
}
