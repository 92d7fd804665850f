#include "analyzer/compare/meaning/likeness.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/utf8.h"

#define STEPS_LIMIT ((uint64_t)1 << 31) /* some seconds */
#define COMMON_FROM                                                                                \
	200 /* so many characters of b, and those that are over 1 % of them are passed over */

struct spot { /* where b has a character */
	uint32_t code, at;
};

struct cell { /* how long the match is that ends at a row's character and this one of b */
	uint32_t row, len;
};

struct stretch {
	uint32_t a, b, n_a, n_b;
};

struct match {
	uint32_t a, b, n;
};

struct likeness {
	uint32_t *a, *b; /* code points */
	uint32_t n_a, n_b;
	struct spot *spots; /* by character, then by place */
	uint32_t n_spots;
	uint32_t *first;      /* of each character of a: its first spot; n_spots: none */
	struct cell *rows[2]; /* the row before and this one, told apart by their numbers */
	uint32_t row;
	uint64_t steps;
	struct stretch *left; /* to be looked at */
	size_t n_left, room;
};

/* NULL: longer than the limit. */
static uint32_t *characters(struct span s, uint32_t *ret_n)
{
	uint32_t *codes = xmalloc((MIN(s.len, (size_t)LIKENESS_LIMIT) + 1) * sizeof(*codes));
	const char *p = s.data, *end = p ? p + s.len : p;
	uint32_t n = 0;
	while (p < end && n < LIKENESS_LIMIT) {
		codes[n] = 0xfffd;
		size_t len = utf8_get(p, end, &codes[n]);
		p += MAX(len, (size_t)1);
		n++;
	}
	if (p < end) {
		free(codes);
		return NULL;
	}
	*ret_n = n;
	return codes;
}

static int by_character(const void *a, const void *b)
{
	const struct spot *x = a, *y = b;
	if (x->code != y->code) {
		return x->code < y->code ? -1 : 1;
	}
	return x->at < y->at ? -1 : x->at > y->at;
}

static void note_spots(struct likeness *l)
{
	uint32_t common = l->n_b >= COMMON_FROM ? l->n_b / 100 + 1 : UINT32_MAX;
	l->spots = xmalloc((l->n_b + 1) * sizeof(*l->spots));
	for (uint32_t i = 0; i < l->n_b; i++) {
		l->spots[i] = (struct spot){l->b[i], i};
	}
	qsort(l->spots, l->n_b, sizeof(*l->spots), by_character);
	for (uint32_t from = 0, to; from < l->n_b; from = to) {
		for (to = from; to < l->n_b && l->spots[to].code == l->spots[from].code; to++) {
		}
		if (to - from <= common) {
			memmove(&l->spots[l->n_spots], &l->spots[from],
			        (to - from) * sizeof(*l->spots));
			l->n_spots += to - from;
		}
	}
}

static uint32_t first_spot(const struct likeness *l, uint32_t code)
{
	uint32_t from = 0, to = l->n_spots;
	while (from < to) {
		uint32_t middle = from + (to - from) / 2;
		if (l->spots[middle].code < code) {
			from = middle + 1;
		} else {
			to = middle;
		}
	}
	return from < l->n_spots && l->spots[from].code == code ? from : l->n_spots;
}

/* One character of a against all like it in b; the earliest of the longest matches stays. */
static void pass_row(struct likeness *l, const struct stretch *s, uint32_t i, struct match *best)
{
	uint32_t row = ++l->row;
	const struct cell *before = l->rows[(row - 1) & 1];
	struct cell *now = l->rows[row & 1];
	uint32_t code = l->a[i];
	l->steps++;
	for (uint32_t k = l->first[i]; k < l->n_spots && l->spots[k].code == code; k++) {
		uint32_t j = l->spots[k].at;
		l->steps++;
		if (j < s->b) {
			continue;
		}
		if (j >= s->b + s->n_b) {
			break;
		}
		bool goes_on = j > 0 && before[j - 1].row == row - 1;
		uint32_t len = goes_on ? before[j - 1].len + 1 : 1;
		now[j] = (struct cell){row, len};
		if (len > best->n) {
			*best = (struct match){i + 1 - len, j + 1 - len, len};
		}
	}
}

/* The longest match within a stretch, then made longer by characters that were passed over. */
static struct match longest(struct likeness *l, const struct stretch *s)
{
	struct match m = {s->a, s->b, 0};
	l->row++; /* the stretch before has nothing to do with this one */
	for (uint32_t i = s->a; i < s->a + s->n_a; i++) {
		pass_row(l, s, i, &m);
	}
	while (m.a > s->a && m.b > s->b && l->a[m.a - 1] == l->b[m.b - 1]) {
		m = (struct match){m.a - 1, m.b - 1, m.n + 1};
	}
	while (m.a + m.n < s->a + s->n_a && m.b + m.n < s->b + s->n_b &&
	        l->a[m.a + m.n] == l->b[m.b + m.n]) {
		m.n++;
	}
	return m;
}

static void push(struct likeness *l, struct stretch s)
{
	if (!s.n_a || !s.n_b) {
		return;
	}
	if (l->n_left == l->room) {
		l->room = MAX(2 * l->room, (size_t)16);
		l->left = xrealloc(l->left, l->room * sizeof(*l->left));
	}
	l->left[l->n_left++] = s;
}

/* False: it takes too long. */
static bool count_matches(struct likeness *l, uint64_t *ret)
{
	uint64_t matches = 0;
	push(l, (struct stretch){0, 0, l->n_a, l->n_b});
	while (l->n_left && l->steps < STEPS_LIMIT) {
		struct stretch s = l->left[--l->n_left];
		struct match m = longest(l, &s);
		if (m.n) {
			uint32_t a = m.a + m.n, b = m.b + m.n;
			matches += m.n;
			push(l, (struct stretch){s.a, s.b, m.a - s.a, m.b - s.b});
			push(l, (struct stretch){a, b, s.a + s.n_a - a, s.b + s.n_b - b});
		}
	}
	*ret = matches;
	return l->n_left == 0;
}

static void prepare(struct likeness *l)
{
	note_spots(l);
	l->first = xmalloc((l->n_a + 1) * sizeof(*l->first));
	for (uint32_t i = 0; i < l->n_a; i++) {
		l->first[i] = first_spot(l, l->a[i]);
	}
	for (size_t i = 0; i < ARRAY_LEN(l->rows); i++) {
		l->rows[i] = xcalloc(l->n_b + 1, sizeof(*l->rows[i]));
	}
}

double likeness_ratio(struct span a, struct span b)
{
	struct likeness l = {0};
	double ratio = NAN;
	uint64_t matches;
	l.a = characters(a, &l.n_a);
	l.b = characters(b, &l.n_b);
	if (l.a && l.b && l.n_a + l.n_b == 0) {
		ratio = 1;
	} else if (l.a && l.b) {
		prepare(&l);
		if (count_matches(&l, &matches)) {
			ratio = 2.0 * (double)matches / (double)(l.n_a + l.n_b);
		}
	}
	free(l.a);
	free(l.b);
	free(l.spots);
	free(l.first);
	free(l.rows[0]);
	free(l.rows[1]);
	free(l.left);
	return ratio;
}
