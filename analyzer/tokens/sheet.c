#include "analyzer/tokens/sheet.h"

#include <math.h>
#include <string.h>

#include "analyzer/tokens/bounds.h"
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
		s->test_lp[m->places[k]][row] = (double)lps[k];
	}
	s->tokens[row] = m->n;
	s->best[row] = m->places[plain_best(test)];
	s->most = MAX(s->most, (size_t)m->n);
}

static struct sheet *take(struct sheet *alike, struct sheet *unlike, const struct listing *base,
        const struct listing *test, const struct plain *m)
{
	struct sheet *s = m->alike ? alike : unlike;
	expect(!sheet_is_full(s));
	size_t row = s->n;
	s->base = base->of->columns;
	s->test = test->of->columns;
	s->at[row] = base->token;
	s->test_at[row] = test->token;
	s->rows[row] = base->from;
	s->test_rows[row] = test->from;
	s->chosen[row] = m->chosen_base;
	if (!m->alike) {
		write_unlike(s, m, test);
	}
	s->n++;
	return s;
}

struct sheet *sheet_take(struct sheet *alike, struct sheet *unlike, const struct listing *base,
        const struct listing *test)
{
	struct plain m;
	bool found = plain_match(base, test, LISTING_FAINT, &m) && m.chosen_base == m.chosen_test;
	return found ? take(alike, unlike, base, test, &m) : NULL;
}

struct sheet *sheet_take_of_strip(
        struct sheet *alike, struct sheet *unlike, const struct strip *strip, uint32_t i)
{
	struct plain m;
	uint32_t rows = LISTING_PLAIN * i;
	if (strip->test->late) {
		listings_make_known(strip->test, strip->b + i, strip->base->keys[strip->a + i]);
	}
	const struct listing base = {strip->base, strip->a + i, strip->base_row + rows,
	        strip->base_row + rows + LISTING_PLAIN};
	const struct listing test = {strip->test, strip->b + i, strip->test_row + rows,
	        strip->test_row + rows + LISTING_PLAIN};
	bool found = plain_match_told(&base, &test, &m) && m.chosen_base == m.chosen_test;
	return found ? take(alike, unlike, &base, &test, &m) : NULL;
}

/* The two tokens of which a measure is greatest; of equals the first. */
struct two {
	double measure, base, test;        /* of the first */
	double next, next_base, next_test; /* of the second */
	double token;
};

static const struct two NOTHING = {-INFINITY, NAN, NAN, -INFINITY, NAN, NAN, 0};

/* A measure that is a NaN is passed over. */
CLONED_PART void meet(struct two *t, double token, double measure, double base, double test)
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

CLONED_PART void meet_token(struct two *t, const struct sheet *s, size_t k, size_t i)
{
	double base = s->base_lp[k][i];
	meet(t, (double)k, base, base, s->test_lp[k][i]);
}

/* Of the base's two most probable tokens. */
CLONED_PART void find_tops(struct sheet *s, size_t i)
{
	struct two t = NOTHING;
	meet_token(&t, s, 0, i);
	meet_token(&t, s, 1, i);
	meet_token(&t, s, 2, i);
	meet_token(&t, s, 3, i);
	meet_token(&t, s, 4, i);
	s->top_change[i] = t.test - t.base;
	s->gap[i] = t.base - t.next_base;
	s->noise[i] = (t.test - t.next_test) - (t.base - t.next_base);
	s->same_top[i] = t.token; /* for now */
}

CLONED_PART void meet_both(struct two *t, const struct sheet *s, size_t k, size_t i)
{
	double base = s->base_lp[k][i], test = s->test_lp[k][i];
	meet(t, 0, base + test, base, test);
}

/* Of the two that both together hold most probable. */
CLONED_PART void find_both(struct sheet *s, size_t i)
{
	struct two t = NOTHING;
	meet_both(&t, s, 0, i);
	meet_both(&t, s, 1, i);
	meet_both(&t, s, 2, i);
	meet_both(&t, s, 3, i);
	meet_both(&t, s, 4, i);
	s->both_base[i] = t.base - t.next_base;
	s->both_test[i] = t.test - t.next_test;
}

/* Where the order is the same: is the base's most probable token the test's too? */
CLONED_PART void find_same_top(struct sheet *s, size_t i)
{
	double most = -INFINITY, token = 0;
	for (int k = 0; k < LISTING_PLAIN; k++) {
		double lp = s->test_lp[k][i];
		token = lp > most ? k : token;
		most = lp > most ? lp : most;
	}
	s->same_top[i] = token == s->same_top[i] ? 1 : 0;
}

/* The logprob of the chosen token. */
CLONED_PART double chosen_lp(sheet_column *lps, double chosen, size_t i)
{
	double lp = lps[0][i];
	lp = chosen == 1 ? lps[1][i] : lp;
	lp = chosen == 2 ? lps[2][i] : lp;
	lp = chosen == 3 ? lps[3][i] : lp;
	return chosen == 4 ? lps[4][i] : lp;
}

CLONED_PART void find_chosen(struct sheet *s, size_t i)
{
	double lp = chosen_lp(s->base_lp, s->chosen[i], i), before = 0;
	double other = chosen_lp(s->test_lp, s->chosen[i], i);
	double change = s->said_test[i] - s->said_base[i];
	before += s->base_lp[0][i] > lp ? 1 : 0;
	before += s->base_lp[1][i] > lp ? 1 : 0;
	before += s->base_lp[2][i] > lp ? 1 : 0;
	before += s->base_lp[3][i] > lp ? 1 : 0;
	before += s->base_lp[4][i] > lp ? 1 : 0;
	s->rank[i] = before;
	s->chosen_base[i] = lp;
	s->chosen_test[i] = other;
	s->lp_change[i] = other - lp;
	s->change[i] = fabs(change) < INFINITY ? change : NAN;
}

CLONED void find_all(struct sheet *restrict s, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		find_tops(s, i);
		find_chosen(s, i);
		s->jaccard[i] = 1;
	}
}

CLONED void find_boths(struct sheet *restrict s, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		find_both(s, i);
	}
}

CLONED void find_same_tops(struct sheet *restrict s, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		find_same_top(s, i);
	}
}

/* Does a list fall from its first token on? */
CLONED_PART int64_t falls(double a, double b, double c, double d, double e)
{
	return (a >= b) & (b >= c) & (c >= d) & (d >= e);
}

/* Do all of the base's, and did both choose its first token? */
CLONED bool bases_fall(const struct sheet *restrict s, size_t n)
{
	int64_t all = 1;
	for (size_t i = 0; i < n; i++) {
		all &= falls(s->base_lp[0][i], s->base_lp[1][i], s->base_lp[2][i], s->base_lp[3][i],
		               s->base_lp[4][i]) &
		       (s->chosen[i] == 0);
	}
	return all != 0;
}

CLONED bool tests_fall(const struct sheet *restrict s, size_t n)
{
	int64_t all = 1;
	for (size_t i = 0; i < n; i++) {
		all &= falls(s->test_lp[0][i], s->test_lp[1][i], s->test_lp[2][i], s->test_lp[3][i],
		        s->test_lp[4][i]);
	}
	return all != 0;
}

/* What find_all() finds where the base's lists fall and their first tokens are chosen, so that nothing has to be sought;
 * and what find_boths() does where the test's fall as well. */
CLONED void find_first(struct sheet *restrict s, size_t n)
{
	const double same_top = s->ordered ? 1 : 0;
	for (size_t i = 0; i < n; i++) {
		double base = s->base_lp[0][i], test = s->test_lp[0][i];
		double gap = base - s->base_lp[1][i], other = test - s->test_lp[1][i];
		double change = s->said_test[i] - s->said_base[i];
		s->chosen_base[i] = base;
		s->chosen_test[i] = test;
		s->lp_change[i] = s->top_change[i] = test - base;
		s->gap[i] = s->both_base[i] = gap;
		s->both_test[i] = other;
		s->noise[i] = other - gap;
		s->change[i] = fabs(change) < INFINITY ? change : NAN;
		s->same_top[i] = same_top;
		s->jaccard[i] = 1;
		s->rank[i] = 0;
	}
}

/* What plain_match() told of lists that are not the same. */
static void compare_lists(struct sheet *s)
{
	for (size_t i = 0; i < s->n; i++) {
		size_t shared = (size_t)PLAIN_MOST - s->tokens[i];
		s->same_top[i] = s->same_top[i] == s->best[i] ? 1 : 0;
		s->jaccard[i] = (double)shared / (double)s->tokens[i];
	}
}

/* So that no vector is left half empty. */
static void fill_up(struct sheet *s)
{
	size_t last = s->n - 1, filled = sheet_filled(s);
	for (size_t n = s->n; n < filled; n++) {
		s->at[n] = s->at[last];
		s->test_at[n] = s->test_at[last];
		s->rows[n] = s->rows[last];
		s->test_rows[n] = s->test_rows[last];
		s->seen[n] = s->seen[last];
		s->chosen[n] = s->chosen[last];
		for (size_t k = 0; k < s->most && !s->alike; k++) {
			s->test_lp[k][n] = s->test_lp[k][last];
		}
	}
}

/* What is said of the lists alone: find_first() may put down what those after it put right. */
static void compare(struct sheet *s, size_t n)
{
	bool first = bases_fall(s, n);
	s->ordered = first && s->alike && tests_fall(s, n);
	if (first) {
		find_first(s, n);
	} else {
		find_all(s, n);
	}
	if (s->ordered) {
		return;
	}
	find_boths(s, n);
	if (s->alike) {
		find_same_tops(s, n);
	} else {
		compare_lists(s);
	}
}

void sheet_reckon(struct sheet *s)
{
	size_t n = sheet_filled(s);
	fill_up(s);
	sheet_read_rows(s, n);
	compare(s, n);
	bounds_k3_all(s->chosen_test, s->chosen_base, s->k3, n);
	sheet_reckon_bounds(s, n);
}
