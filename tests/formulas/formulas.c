/*
 * formulas - lets another program call the analyzer's formulas: one line in, one line out.
 *
 *	NAME NUMBER...    numbers as strtod() reads them, "nan" too
 *
 * It answers with the numbers of the result, or "?" for an invalid line. test_formulas.py compares
 * them with numpy and scipy.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/compare/tokens/bounds.h"
#include "analyzer/compare/tokens/first_difference_kind.h"
#include "analyzer/compare/tokens/flips.h"
#include "analyzer/compare/tokens/score_contrast.h"
#include "analyzer/fold/draws.h"
#include "analyzer/fold/rollout.h"
#include "analyzer/report/policy/difference.h"
#include "analyzer/rows/examine_draws.h"
#include "analyzer/rows/examine_score.h"
#include "analyzer/stats/clusters.h"
#include "analyzer/stats/crossing.h"
#include "analyzer/stats/log_histogram.h"
#include "analyzer/stats/survival.h"
#include "analyzer/stats/distribution.h"
#include "analyzer/stats/proportion.h"
#include "answers/tokens/columns.h"
#include "base/check.h"
#include "base/multiple_testing.h"

#define NUMBERS_LIMIT 100000

static double numbers[NUMBERS_LIMIT];
static size_t n;

static void put(double value)
{
	printf("%.17g ", value);
}

static void put_interval(struct interval i)
{
	put(i.low);
	put(i.high);
}

static void mid_p(void)
{
	put_interval(proportion_mid_p(numbers[0], numbers[1], numbers[2]));
}

static void student(void)
{
	put(distribution_student_quantile(numbers[0], numbers[1]));
}

/* The size of the first sample; then the values of both. */
static void welch(void)
{
	struct moments samples[2] = {0};
	for (size_t i = 1; i < n; i++) {
		moments_add(&samples[(double)i > numbers[0]], numbers[i]);
	}
	put_interval(moments_difference(&samples[0], &samples[1]));
}

/* d of the tokens of one answer. */
static void rollout(void)
{
	struct rollout r = {0};
	struct score_row row = {.basis = SCORE_AS_DRAWN};
	for (size_t i = 0; i < n; i++) {
		score_row_add(&row, (uint32_t)i, numbers[i]);
	}
	rollout_add(&r, &row);
	rollout_settle(&r);
	for (size_t f = 0; f < N_ROLLOUT_FIGURES; f++) {
		put(r.values[f].value);
	}
	put(r.delta_max);
	put((double)r.outside / (double)r.tokens);
	put(rollout_sample_size(&r));
	put(exp(signed_histogram_quantile(&r.log_ratios, 0.99)));
	rollout_finish(&r);
}

/* value, low, high, clusters of both. */
static void difference(void)
{
	const double *a = numbers, *b = numbers + 4;
	const struct metric_value before = {a[0], a[1], a[2], NAN, a[3]};
	const struct metric_value after = {b[0], b[1], b[2], NAN, b[3]};
	struct difference d = difference_of(&before, &after);
	put(d.change.value);
	put(d.change.low);
	put(d.change.high);
	put(d.p);
}

static void mcnemar(void)
{
	put(proportion_mcnemar((uint64_t)numbers[0], (uint64_t)numbers[1]));
}

static void holm(void)
{
	multiple_testing_holm(numbers, n);
	for (size_t i = 0; i < n; i++) {
		put(numbers[i]);
	}
}

static void normal(void)
{
	put(distribution_normal_below(numbers[0]));
}

static void chance_of_flip(void)
{
	put(flip_chance(numbers[0], numbers[1]));
}

static void k3(void)
{
	put(bounds_k3(numbers[1] - numbers[0]));
}

/* guard, rounding, then pairs of p and r */
static void bounds(void)
{
	double p[256], r[256], p_lp[256], r_lp[256];
	struct bounds b;
	size_t pairs = MIN((n - 2) / 2, ARRAY_LEN(p));
	for (size_t i = 0; i < pairs; i++) {
		p[i] = numbers[2 + 2 * i];
		r[i] = numbers[3 + 2 * i];
		p_lp[i] = log(p[i]);
		r_lp[i] = log(r[i]);
	}
	bounds_of(p, r, p_lp, r_lp, pairs, numbers[0], numbers[1], &b);
	put(b.kl_low);
	put(b.js_low);
	put(b.js_high);
	put(b.tv_low);
	put(b.tv_high);
}

/* a quantile, then values */
static void quantile(void)
{
	struct signed_histogram h = {0};
	for (size_t i = 1; i < n; i++) {
		signed_histogram_add(&h, numbers[i]);
	}
	put(signed_histogram_quantile(&h, numbers[0]));
}

static void note_share(void *arg, uint64_t tokens, double share, uint64_t at_risk)
{
	double *shares = arg;
	for (uint64_t t = tokens; t <= 20; t++) {
		shares[t] = share;
	}
}

/* pairs of time and whether it parted; the share at each time of 0..20 */
static void survival(void)
{
	static struct survival s;
	s = (struct survival){0};
	for (size_t i = 0; i + 1 < n; i += 2) {
		survival_add(&s, (uint64_t)numbers[i], numbers[i + 1] != 0);
	}
	double shares[21];
	for (size_t t = 0; t < ARRAY_LEN(shares); t++) {
		shares[t] = 1;
	}
	survival_steps(&s, note_share, shares);
	for (size_t t = 0; t < ARRAY_LEN(shares); t++) {
		put(shares[t]);
	}
}

static void estimate(
        const struct clusters *c, const struct term *terms, size_t n_terms, struct estimate *ret)
{
	const struct terms of = {terms, n_terms};
	clusters_estimate_all(c, &of, 1, ret);
}

/* triples of cluster, part and whole: value, error, interval of the draws */
static void clusters(void)
{
	struct clusters *c = clusters_create(1);
	struct term term = {0, 1};
	struct estimate e;
	for (size_t i = 0; i + 2 < n; i += 3) {
		uint8_t key[CLUSTERS_KEY_SIZE] = {0};
		memcpy(key + 8, &numbers[i], sizeof(numbers[i]));
		clusters_add(c, clusters_row(c, key), 0, numbers[i + 1], numbers[i + 2]);
	}
	estimate(c, &term, 1, &e);
	put(e.value);
	put(e.error);
	put_interval(e.ci);
	clusters_destroy(c);
}

/* quadruples of cluster, seed, part and whole: seeds, their error and its reach */
static void crossing(void)
{
	struct clusters *prompts = clusters_create(1);
	struct crossing x = {0};
	struct crossing_part part = {0};
	for (size_t i = 0; i + 3 < n; i += 4) {
		uint8_t key[CLUSTERS_KEY_SIZE] = {0};
		memcpy(key + 8, &numbers[i], sizeof(numbers[i]));
		struct crossing_cell at = crossing_cell_for(&x, 1, key, (int64_t)numbers[i + 1]);
		clusters_add(
		        prompts, clusters_row(prompts, key), 0, numbers[i + 2], numbers[i + 3]);
		crossing_add(&x, at, 0, numbers[i + 2], numbers[i + 3]);
	}
	bool known = crossing_estimate(&x, prompts, 0, &part);
	put(known ? (double)part.seeds : 0);
	put(part.error);
	put(part.reach);
	crossing_finish(&x);
	clusters_destroy(prompts);
}

/* Adds one answer, and gives what all draws say of the temperature and of a presence penalty. */
static void put_draws(const struct choice *choice, double temperature)
{
	static const struct request_words NONE;
	struct draws d = {0};
	struct draws_row row = {.backend = "a", .lists = LOGPROBS_RAW, .temperature = temperature};
	const struct draws_input in = {choice, &NONE, {temperature, 0, 1, 0}};
	double chance;
	row.excluded = examine_draws(&in, &row, &chance);
	draws_add(&d, &row);
	draws_settle(&d);
	const struct draws_findings *f = &d.groups[0].found;
	put((double)f->draws);
	put(f->temperature.ratio);
	put_interval(f->temperature.ci);
	put(f->tests[DRAWS_FINDING_TEMPERATURE].p);
	put(f->cuts[0].at);
	put(f->tests[DRAWS_FINDING_TOP_K].p);
	put(draws_penalty_shift(&f->penalty)->nats);
	put_interval(draws_penalty_shift(&f->penalty)->ci);
	put(f->tests[DRAWS_FINDING_PENALTY].p);
	draws_finish(&d);
}

/* The temperature that was asked for and the length of lists; then of each position the number of
 * the chosen candidate and number and logprob of each candidate. */
static void draws(void)
{
	struct columns_builder *b = columns_builder_create();
	struct choice choice = {.has_columns = true};
	size_t listed = (size_t)numbers[1];
	for (size_t i = 2; i + 2 * listed < n; i += 1 + 2 * listed) {
		char text[16];
		double own = NAN;
		for (size_t k = 0; k < listed; k++) {
			double word = numbers[i + 1 + 2 * k], lp = numbers[i + 2 + 2 * k];
			snprintf(text, sizeof(text), " w%.0f", word);
			columns_builder_row(b, span_of(text), -1, (float)lp);
			own = word == numbers[i] ? lp : own;
		}
		snprintf(text, sizeof(text), " w%.0f", numbers[i]);
		columns_builder_commit(b, span_of(text), -1, (float)own, 0);
	}
	columns_builder_end(b, &choice.columns);
	put_draws(&choice, numbers[0]);
	columns_finish(&choice.columns);
}

/* One position of as many candidates: of each both logprobs, and 1 where it stood in the answer. */
static void contrast(void)
{
	static const struct request_words NONE;
	struct columns_builder *builders[] = {columns_builder_create(), columns_builder_create()};
	struct columns own, scorer;
	struct recent_tokens seen;
	char text[16];
	recent_tokens_begin(&seen);
	for (size_t i = 0; i + 2 < n; i += 3) {
		snprintf(text, sizeof(text), " w%zu", i);
		columns_builder_row(builders[0], span_of(text), -1, (float)numbers[i]);
		columns_builder_row(builders[1], span_of(text), -1, (float)numbers[i + 1]);
		if (numbers[i + 2] != 0) {
			recent_tokens_add(&seen, span_of(text), 0);
		}
	}
	for (size_t k = 0; k < 2; k++) {
		columns_builder_commit(builders[k], span_of(" w0"), -1, (float)numbers[k], 0);
		columns_builder_end(builders[k], k ? &scorer : &own);
	}
	struct listing lists[] = {listing_at(&own, 0), listing_at(&scorer, 0)};
	struct score_contrast c = score_contrast_at(&lists[0], &lists[1], &seen, &NONE, 1);
	put(c.moved);
	put(c.own_gap);
	put(c.scorer_gap);
	columns_finish(&own);
	columns_finish(&scorer);
}

static const struct {
	const char *name;
	void (*run)(void);
	size_t least; /* numbers */
} FORMULAS[] = {
        {"rollout", rollout, 1},
        {"mid_p", mid_p, 3},
        {"student", student, 2},
        {"welch", welch, 5},
        {"mcnemar", mcnemar, 2},
        {"difference", difference, 8},
        {"holm", holm, 1},
        {"normal", normal, 1},
        {"flip_chance", chance_of_flip, 2},
        {"k3", k3, 2},
        {"bounds", bounds, 1},
        {"quantile", quantile, 2},
        {"survival", survival, 2},
        {"clusters", clusters, 3},
        {"crossing", crossing, 4},
        {"draws", draws, 5},
        {"contrast", contrast, 3},
};

static bool answer(char *line)
{
	char *rest = line, *name = strsep(&rest, " \n");
	for (n = 0; rest && n < NUMBERS_LIMIT; n++) {
		char *end;
		numbers[n] = strtod(rest, &end);
		if (end == rest) {
			break;
		}
		rest = end;
	}
	for (size_t i = 0; i < ARRAY_LEN(FORMULAS); i++) {
		if (strcmp(FORMULAS[i].name, name) == 0 && n >= FORMULAS[i].least) {
			FORMULAS[i].run();
			return true;
		}
	}
	return false;
}

int main(void)
{
	char *line = NULL;
	size_t size = 0;
	while (getline(&line, &size, stdin) > 0) {
		puts(answer(line) ? "" : "?");
	}
	free(line);
	return 0;
}
