#include "analyzer/compare/meaning/diff.h"

#include <stdlib.h>
#include <string.h>

#include <criterion/criterion.h>

/* Each character is a piece. */
static size_t pieces_of(const char *text, struct span *to)
{
	for (size_t i = 0; text[i]; i++) {
		to[i] = (struct span){text + i, 1};
	}
	return strlen(text);
}

/* Checks that the stretches cover both sides; returns the pieces that are not equal. */
static size_t check(const struct span *a, size_t n_a, const struct span *b, size_t n_b,
        const struct diff_run *runs, size_t n)
{
	size_t at_a = 0, at_b = 0, edits = 0;
	for (size_t i = 0; i < n; i++) {
		cr_assert_eq(runs[i].a, at_a);
		cr_assert_eq(runs[i].b, at_b);
		for (size_t k = 0; runs[i].equal && k < runs[i].n_a; k++) {
			cr_assert(span_equal(a[at_a + k], b[at_b + k]));
		}
		cr_assert(!runs[i].equal || runs[i].n_a == runs[i].n_b);
		cr_assert(i == 0 || runs[i].equal != runs[i - 1].equal, "neighbours are unlike");
		edits += runs[i].equal ? 0 : (size_t)runs[i].n_a + runs[i].n_b;
		at_a += runs[i].n_a;
		at_b += runs[i].n_b;
	}
	cr_assert_eq(at_a, n_a);
	cr_assert_eq(at_b, n_b);
	return edits;
}

static size_t edits_of(const char *x, const char *y)
{
	struct span a[64], b[64];
	struct diff_run *runs = NULL;
	size_t n_a = pieces_of(x, a), n_b = pieces_of(y, b);
	size_t n = diff_find(a, (uint32_t)n_a, b, (uint32_t)n_b, &runs);
	size_t edits = check(a, n_a, b, n_b, runs, n);
	free(runs);
	return edits;
}

/* The length of the shortest edit script, by dynamic programming. */
static size_t least_edits(const char *x, const char *y)
{
	size_t table[65][65];
	size_t n = strlen(x), m = strlen(y);
	for (size_t i = 0; i <= n; i++) {
		for (size_t k = 0; k <= m; k++) {
			if (i == 0 || k == 0) {
				table[i][k] = i + k;
			} else if (x[i - 1] == y[k - 1]) {
				table[i][k] = table[i - 1][k - 1];
			} else {
				size_t up = table[i - 1][k], left = table[i][k - 1];
				table[i][k] = 1 + (up < left ? up : left);
			}
		}
	}
	return table[n][m];
}

Test(diff, finds_a_shortest_script)
{
	cr_assert_eq(edits_of("", ""), 0);
	cr_assert_eq(edits_of("abc", "abc"), 0);
	cr_assert_eq(edits_of("", "abc"), 3);
	cr_assert_eq(edits_of("abc", ""), 3);
	cr_assert_eq(edits_of("abcabba", "cbabac"), 5, "Myers' own example");
	unsigned state = 1;
	for (size_t round = 0; round < 2000; round++) {
		char x[64], y[64];
		char *texts[] = {x, y};
		for (size_t t = 0; t < 2; t++) {
			state = state * 1103515245 + 12345;
			size_t n = state >> 16 & 31;
			for (size_t i = 0; i < n; i++) {
				state = state * 1103515245 + 12345;
				texts[t][i] = (char)('a' + (state >> 16) % 3);
			}
			texts[t][n] = '\0';
		}
		cr_assert_eq(edits_of(x, y), least_edits(x, y), "%s against %s", x, y);
	}
}

Test(diff, too_many_edits_are_one_stretch_between_what_is_alike)
{
	enum { N = 3000 };
	struct span *a = calloc(N, sizeof(*a)), *b = calloc(N, sizeof(*b));
	struct diff_run *runs = NULL;
	for (size_t i = 0; i < N; i++) {
		bool ends = i < 10 || i >= N - 10;
		a[i] = ends ? SPAN("same") : SPAN("this");
		b[i] = ends ? SPAN("same") : SPAN("that");
	}
	size_t n = diff_find(a, N, b, N, &runs);
	cr_assert_eq(n, 3);
	cr_assert_eq(check(a, N, b, N, runs, n), (size_t)2 * (N - 20));
	free(runs);
	free(a);
	free(b);
}
