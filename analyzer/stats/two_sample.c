#include "analyzer/stats/two_sample.h"

#include <math.h>
#include <string.h>

#include <xxhash.h>

#include "analyzer/stats/distribution.h"
#include "analyzer/stats/permutation.h"
#include "base/ascii.h"
#include "base/check.h"
#include "base/rng.h"

#define BOTH (2 * TWO_SAMPLE_EACH)

static void add_words(struct two_sample_answer *to, size_t *n, struct span text)
{
	for (size_t i = 0; i < text.len && *n < TWO_SAMPLE_WORDS;) {
		size_t from = i;
		while (i < text.len && !is_space(text.data[i])) {
			i++;
		}
		if (i > from) {
			uint32_t hash = (uint32_t)XXH3_64bits(text.data + from, i - from);
			to->words[(*n)++] = hash ? hash : 1;
		}
		i += i < text.len;
	}
}

void two_sample_read(const struct choice *c, struct two_sample_answer *ret)
{
	size_t n = 0, at = 0;
	*ret = (struct two_sample_answer){0};
	struct span text = buf_span(&c->text);
	for (size_t i = 0; i < c->n_thoughts; i++) {
		const struct thought *t = &c->thoughts[i];
		if (t->open < at || t->close < t->open || t->close > text.len) {
			break;
		}
		add_words(ret, &n, (struct span){text.data + at, t->open - at});
		at = t->close;
	}
	add_words(ret, &n, (struct span){text.data + at, text.len - at});
	add_words(ret, &n, buf_span(&c->refusal));
	for (size_t i = 0; i < c->n_calls; i++) {
		if (!c->calls[i].in_text) {
			add_words(ret, &n, span_of(c->calls[i].name));
			add_words(ret, &n, span_of(c->calls[i].arguments));
		}
	}
}

static struct two_sample_name name_of(struct id leg, int32_t choice)
{
	uint8_t both[sizeof(leg.bytes) + sizeof(choice)];
	memcpy(both, leg.bytes, sizeof(leg.bytes));
	memcpy(both + sizeof(leg.bytes), &choice, sizeof(choice));
	return (struct two_sample_name){XXH3_64bits(both, sizeof(both)), leg, choice};
}

static int by_hash(const struct two_sample_name *a, const struct two_sample_name *b)
{
	int order = (a->hash > b->hash) - (a->hash < b->hash);
	order = order ? order : id_compare(a->leg, b->leg);
	return order ? order : (a->choice > b->choice) - (a->choice < b->choice);
}

void two_sample_add(struct two_sample_side *s, struct id leg, const struct choice *c)
{
	struct two_sample_name name = name_of(leg, c->index);
	size_t at = 0;
	while (at < s->n && by_hash(&s->names[at], &name) < 0) {
		at++;
	}
	if (at == TWO_SAMPLE_EACH || (at < s->n && by_hash(&s->names[at], &name) == 0)) {
		return;
	}
	s->n = MIN(s->n + 1, (size_t)TWO_SAMPLE_EACH);
	memmove(s->names + at + 1, s->names + at, (s->n - 1 - at) * sizeof(*s->names));
	memmove(s->answers + at + 1, s->answers + at, (s->n - 1 - at) * sizeof(*s->answers));
	s->names[at] = name;
	two_sample_read(c, &s->answers[at]);
}

/* The share of equal words, relative to the longer answer. */
static double kernel(const struct two_sample_answer *a, const struct two_sample_answer *b)
{
	size_t same = 0, n = 0;
	for (; n < TWO_SAMPLE_WORDS && (a->words[n] || b->words[n]); n++) {
		same += a->words[n] == b->words[n];
	}
	return n ? (double)same / (double)n : 1;
}

struct matrix {
	double k[BOTH][BOTH];
	size_t n, n_base; /* of all answers; of the base's, which come first */
};

static void fill(struct matrix *m, const struct two_sample_prompt *p)
{
	const struct two_sample_answer *all[BOTH];
	m->n = 0;
	m->n_base = p->base.n;
	for (size_t i = 0; i < p->base.n; i++) {
		all[m->n++] = &p->base.answers[i];
	}
	for (size_t i = 0; i < p->test.n; i++) {
		all[m->n++] = &p->test.answers[i];
	}
	for (size_t i = 0; i < m->n; i++) {
		for (size_t j = 0; j < i; j++) {
			m->k[i][j] = m->k[j][i] = kernel(all[i], all[j]);
		}
	}
}

/* The discrepancy of the answers in this order, in which the first n_base count as the base's. */
static double discrepancy(const struct matrix *m, const uint8_t order[BOTH])
{
	double base = 0, test = 0, across = 0;
	size_t n = m->n_base, other = m->n - n;
	for (size_t i = 0; i < m->n; i++) {
		const double *row = m->k[order[i]];
		for (size_t j = 0; j < i; j++) {
			double k = row[order[j]];
			base += i < n ? k : 0;
			test += j >= n ? k : 0;
			across += i >= n && j < n ? k : 0;
		}
	}
	return base / ((double)n * (double)(n - 1) / 2) +
	       test / ((double)other * (double)(other - 1) / 2) -
	       2 * across / ((double)n * (double)other);
}

/* Moments of the discrepancy when the sides' labels are permuted; observed: its value with the
 * real labels. */
static void permute(const struct matrix *m, uint8_t order[BOTH], uint64_t seed, double observed,
        struct two_sample_result *ret)
{
	struct rng rng = {seed};
	double most = observed;
	size_t at_most = 1;
	for (size_t d = 0; d < TWO_SAMPLE_PERMUTATIONS; d++) {
		RNG_SHUFFLE(&rng, m->n, order[i]);
		double x = discrepancy(m, order);
		ret->variance += x * x / TWO_SAMPLE_PERMUTATIONS;
		ret->third += x * x * x / TWO_SAMPLE_PERMUTATIONS;
		if (x > most + PERMUTATION_ROUNDING) {
			most = x;
			at_most = 0;
		}
		at_most += x > most - PERMUTATION_ROUNDING;
	}
	ret->extreme = (double)MAX(at_most, (size_t)1) / (TWO_SAMPLE_PERMUTATIONS + 1);
}

void two_sample_test(
        const struct two_sample_prompt *p, uint64_t seed, struct two_sample_result *ret)
{
	struct matrix m;
	uint8_t order[BOTH] = {0};
	*ret = (struct two_sample_result){
	        .base_answers = (uint32_t)p->base.n,
	        .test_answers = (uint32_t)p->test.n,
	        .is_tested = p->base.n >= 2 && p->test.n >= 2,
	};
	if (ret->is_tested) {
		fill(&m, p);
		for (size_t i = 0; i < m.n; i++) {
			order[i] = (uint8_t)i;
		}
		ret->distance = discrepancy(&m, order);
		permute(&m, order, seed, ret->distance, ret);
	}
}

void two_sample_add_result(struct two_sample *t, const struct two_sample_result *prompt)
{
	double n = prompt->base_answers, m = prompt->test_answers, w = n * m / (n + m);
	if (!prompt->is_tested) {
		t->unpaired += n + m > 0;
		return;
	}
	t->prompts++;
	t->base_answers += prompt->base_answers;
	t->test_answers += prompt->test_answers;
	exact_sum_add(&t->weight, w);
	exact_sum_add(&t->distance, w * prompt->distance);
	exact_sum_add(&t->variance, w * w * prompt->variance);
	exact_sum_add(&t->third, w * w * w * prompt->third);
	exact_sum_add(&t->log_extreme, log(prompt->extreme));
}

double two_sample_distance(const struct two_sample *t)
{
	return t->prompts ? exact_sum_value(&t->distance) / exact_sum_value(&t->weight) : NAN;
}

/* P(X >= x) of a gamma distribution with the given shape and scale 1; its cube root is nearly
 * normal (Wilson and Hilferty 1931). */
static double gamma_above(double x, double shape)
{
	double part = 1 / (9 * shape);
	double z = (cbrt(fmax(x, 0) / shape) - (1 - part)) / sqrt(part);
	return distribution_normal_below(-z);
}

/* P(Z >= z) of Pearson's type III with mean 0, variance 1 and that skewness. */
static double pearson_above(double z, double skewness)
{
	if (fabs(skewness) < 1e-6) {
		return distribution_normal_below(-z);
	}
	double shape = 4 / (skewness * skewness), x = shape + 2 * z / skewness;
	return skewness > 0 ? gamma_above(x, shape) : 1 - gamma_above(x, shape);
}

double two_sample_p(const struct two_sample *t)
{
	double variance = exact_sum_value(&t->variance);
	if (t->prompts == 0) {
		return NAN;
	}
	if (variance < PERMUTATION_ROUNDING * PERMUTATION_ROUNDING) {
		return 1; /* the answers are the same, whichever side gave them */
	}
	double sd = sqrt(variance), z = exact_sum_value(&t->distance) / sd;
	double skewness = exact_sum_value(&t->third) / (variance * sd);
	return fmax(pearson_above(z, skewness), exp(exact_sum_value(&t->log_extreme)));
}
