#include "analyzer/sheet.h"

#include <math.h>
#include <string.h>

#include "analyzer/bounds.h"
#include "base/check.h"
#include "base/clones.h"

_Static_assert(LISTING_PLAIN == 5, "functions below name each token");

void sheet_begin(struct sheet *alike, struct sheet *unlike)
{
	alike->alike = true;
	unlike->alike = false;
	sheet_clear(alike);
	sheet_clear(unlike);
}

static void write_unlike(struct sheet *s, const struct plain *m, const struct listing *test)
{
	const float *lps = test->of->columns->top_lp + test->from;
	size_t row = s->n;
	for (size_t k = 0; k < PLAIN_MOST; k++) {
		s->test_lp[k][row] = NAN;
	}
	for (size_t k = 0; k < LISTING_PLAIN; k++) {
		s->test_lp[m->places[k]][row] = lps[k];
	}
	s->best[row] = m->places[plain_best(test)];
	s->most = MAX(s->most, (size_t)m->n);
}

struct sheet *sheet_take(struct sheet *alike, struct sheet *unlike, const struct listing *base,
        const struct listing *test, uint64_t hash)
{
	struct plain m;
	if (!plain_match(base, test, LISTING_UNTOLD | LISTING_FAINT, &m) ||
	        m.chosen_base != m.chosen_test) {
		return NULL;
	}
	struct sheet *s = m.alike ? alike : unlike;
	const float *mine = base->of->columns->top_lp + base->from;
	const float *other = test->of->columns->top_lp + test->from;
	size_t row = s->n;
	expect(row < SHEET_MOST);
	for (size_t k = 0; k < LISTING_PLAIN; k++) {
		s->base_lp[k][row] = mine[k];
		s->test_lp[k][row] = other[k];
	}
	s->hash[row] = hash;
	s->tokens[row] = m.n;
	s->chosen[row] = m.chosen_base;
	s->chosen_base[row] = (double)mine[m.chosen_base];
	double change = (double)listing_chosen_lp(test) - (double)listing_chosen_lp(base);
	s->change[row] = isfinite(change) ? change : NAN;
	if (!m.alike) {
		write_unlike(s, &m, test);
	}
	s->chosen_test[row] = (double)s->test_lp[m.chosen_base][row];
	s->n++;
	return s;
}

/* The two tokens of which a measure is greatest; of equals the first. */
struct two {
	double measure, base, test;        /* of the first */
	double next, next_base, next_test; /* of the second */
	double token;
};

static const struct two NOTHING = {-INFINITY, NAN, NAN, -INFINITY, NAN, NAN, 0};

/* A measure that is a NaN is passed over. */
static inline void meet(struct two *t, double token, double measure, double base, double test)
{
	bool first = measure > t->measure, second = measure > t->next;
	double next = second ? measure : t->next, next_base = second ? base : t->next_base,
	       next_test = second ? test : t->next_test;
	t->next = first ? t->measure : next;
	t->next_base = first ? t->base : next_base;
	t->next_test = first ? t->test : next_test;
	t->measure = first ? measure : t->measure;
	t->base = first ? base : t->base;
	t->test = first ? test : t->test;
	t->token = first ? token : t->token;
}

typedef float told[SHEET_MOST];

/* Of the base's two most probable tokens. */
CLONED void find_tops(struct sheet *restrict s, told *restrict base, told *restrict test, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		struct two t = NOTHING;
		meet(&t, 0, (double)base[0][i], (double)base[0][i], (double)test[0][i]);
		meet(&t, 1, (double)base[1][i], (double)base[1][i], (double)test[1][i]);
		meet(&t, 2, (double)base[2][i], (double)base[2][i], (double)test[2][i]);
		meet(&t, 3, (double)base[3][i], (double)base[3][i], (double)test[3][i]);
		meet(&t, 4, (double)base[4][i], (double)base[4][i], (double)test[4][i]);
		s->top_change[i] = t.test - t.base;
		s->gap[i] = t.base - t.next_base;
		s->noise[i] = (t.test - t.next_test) - (t.base - t.next_base);
		s->same_top[i] = t.token; /* for now */
	}
}

/* Of the two that both together hold most probable. */
CLONED void find_both(struct sheet *restrict s, told *restrict base, told *restrict test, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		struct two t = NOTHING;
		double b[] = {(double)base[0][i], (double)base[1][i], (double)base[2][i],
		        (double)base[3][i], (double)base[4][i]};
		double o[] = {(double)test[0][i], (double)test[1][i], (double)test[2][i],
		        (double)test[3][i], (double)test[4][i]};
		meet(&t, 0, b[0] + o[0], b[0], o[0]);
		meet(&t, 1, b[1] + o[1], b[1], o[1]);
		meet(&t, 2, b[2] + o[2], b[2], o[2]);
		meet(&t, 3, b[3] + o[3], b[3], o[3]);
		meet(&t, 4, b[4] + o[4], b[4], o[4]);
		s->both_base[i] = t.base - t.next_base;
		s->both_test[i] = t.test - t.next_test;
	}
}

/* Where the order is the same: is the base's most probable token the test's too? */
CLONED void find_same_top(double *restrict tops, told *restrict test, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		double most = -INFINITY, token = 0;
		for (int k = 0; k < LISTING_PLAIN; k++) {
			double lp = (double)test[k][i];
			token = lp > most ? k : token;
			most = lp > most ? lp : most;
		}
		tops[i] = token == tops[i] ? 1 : 0;
	}
}

CLONED void find_chosen(struct sheet *restrict s, told *restrict base, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		double lp = s->chosen_base[i], before = 0;
		before += (double)base[0][i] > lp ? 1 : 0;
		before += (double)base[1][i] > lp ? 1 : 0;
		before += (double)base[2][i] > lp ? 1 : 0;
		before += (double)base[3][i] > lp ? 1 : 0;
		before += (double)base[4][i] > lp ? 1 : 0;
		s->rank[i] = before;
		s->lp_change[i] = s->chosen_test[i] - lp;
	}
}

void sheet_reckon(struct sheet *s)
{
	find_tops(s, s->base_lp, s->test_lp, s->n);
	find_both(s, s->base_lp, s->test_lp, s->n);
	if (s->alike) {
		find_same_top(s->same_top, s->test_lp, s->n);
	}
	for (size_t i = 0; i < s->n && !s->alike; i++) {
		s->same_top[i] = s->same_top[i] == s->best[i] ? 1 : 0;
	}
	find_chosen(s, s->base_lp, s->n);
	bounds_k3_all(s->chosen_test, s->chosen_base, s->k3, s->n);
	sheet_reckon_bounds(s);
}
