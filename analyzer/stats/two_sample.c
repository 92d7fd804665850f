#include "analyzer/stats/two_sample.h"

#include <math.h>
#include <string.h>

#include "base/check.h"
#include "base/dice.h"
#include "base/letters.h"

#define BOTH (2 * TWO_SAMPLE_EACH)

static uint32_t hash_word(const char *data, size_t len)
{
	uint32_t h = 2166136261u; /* FNV-1a */
	for (size_t i = 0; i < len; i++) {
		h = (h ^ (uint8_t)data[i]) * 16777619u;
	}
	return h ? h : 1;
}

static void add_words(struct two_sample_answer *to, size_t *n, struct span text)
{
	for (size_t i = 0; i < text.len && *n < TWO_SAMPLE_WORDS;) {
		size_t from = i;
		while (i < text.len && !is_space(text.data[i])) {
			i++;
		}
		if (i > from) {
			to->words[(*n)++] = hash_word(text.data + from, i - from);
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

void two_sample_add(struct two_sample_side *s, struct id leg, const struct choice *c)
{
	for (size_t i = 0; i < s->n; i++) {
		if (s->names[i].choice == c->index && id_compare(s->names[i].leg, leg) == 0) {
			return;
		}
	}
	if (s->n < TWO_SAMPLE_EACH) {
		s->names[s->n] = (struct two_sample_name){leg, c->index};
		two_sample_read(c, &s->answers[s->n++]);
	}
}

/* The share of words that are the same, of as many as the longer answer has. */
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
	size_t n, n_base; /* of all; of the base, which come first */
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

/* Of the answers in this order, of which the first n_base count as the base's. */
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

static void shuffle(uint8_t order[BOTH], size_t n, struct dice *dice)
{
	for (size_t i = n - 1; i > 0; i--) {
		size_t j = (size_t)(((dice_throw(dice) >> 32) * (i + 1)) >> 32);
		uint8_t kept = order[i];
		order[i] = order[j];
		order[j] = kept;
	}
}

void two_sample_judge(struct two_sample *t, const struct two_sample_prompt *p, uint64_t seed)
{
	struct matrix m;
	uint8_t order[BOTH] = {0};
	if (p->base.n < 2 || p->test.n < 2) {
		t->lone += p->base.n + p->test.n > 0;
		return;
	}
	fill(&m, p);
	for (size_t i = 0; i < m.n; i++) {
		order[i] = (uint8_t)i;
	}
	struct dice dice = {seed};
	double weight = (double)(p->base.n * p->test.n) / (double)m.n;
	t->prompts++;
	t->base_answers += p->base.n;
	t->test_answers += p->test.n;
	t->weight += weight;
	t->sum += weight * discrepancy(&m, order);
	for (size_t d = 0; d < TWO_SAMPLE_DRAWS; d++) {
		shuffle(order, m.n, &dice);
		t->drawn[d] += weight * discrepancy(&m, order);
	}
}

double two_sample_distance(const struct two_sample *t)
{
	return t->prompts ? t->sum / t->weight : NAN;
}

double two_sample_p(const struct two_sample *t)
{
	size_t as_far = 0;
	if (t->prompts == 0) {
		return NAN;
	}
	/* Sums of the same terms in another order differ in their last bits. */
	double least = t->sum - 1e-9 * fmax(1, fabs(t->sum));
	for (size_t d = 0; d < TWO_SAMPLE_DRAWS; d++) {
		as_far += t->drawn[d] >= least;
	}
	return (double)(as_far + 1) / (TWO_SAMPLE_DRAWS + 1);
}
