#include "base/did_you_mean.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/check.h"

static char fold(char c)
{
	return c == '-' ? '_' : (char)tolower((unsigned char)c);
}

static size_t edit_distance(const char *a, size_t n, const char *b, size_t m)
{
	size_t rows[3][NEAREST_WORD_LIMIT + 1];
	size_t *before = rows[0], *last = rows[1], *row = rows[2];
	for (size_t j = 0; j <= m; j++) {
		last[j] = j;
		before[j] = 0;
	}
	for (size_t i = 1; i <= n; i++) {
		row[0] = i;
		for (size_t j = 1; j <= m; j++) {
			bool same = fold(a[i - 1]) == fold(b[j - 1]);
			size_t best = MIN(last[j] + 1, row[j - 1] + 1);
			best = MIN(best, last[j - 1] + !same);
			if (i > 1 && j > 1 && fold(a[i - 1]) == fold(b[j - 2]) &&
			        fold(a[i - 2]) == fold(b[j - 1])) {
				best = MIN(best, before[j - 2] + 1);
			}
			row[j] = best;
		}
		size_t *spare = before;
		before = last;
		last = row;
		row = spare;
	}
	return last[m];
}

const char *nearest_word(const char *s, const char *const *words)
{
	size_t n = strnlen(s, NEAREST_WORD_LIMIT + 1);
	if (n == 0 || n > NEAREST_WORD_LIMIT) {
		return NULL;
	}
	const char *best = NULL;
	size_t best_distance = SIZE_MAX;
	for (; *words; words++) {
		size_t m = strnlen(*words, NEAREST_WORD_LIMIT + 1);
		if (m == 0 || m > NEAREST_WORD_LIMIT) {
			continue;
		}
		size_t distance = edit_distance(s, n, *words, m);
		/* A prefix, or a word with an extra ending, is similar, however much is missing. */
		size_t shorter = MIN(n, m);
		bool begins = shorter >= 3 && edit_distance(s, shorter, *words, shorter) == 0;
		bool near = begins || distance <= MAX((size_t)1, shorter / 3);
		if (near && distance < best_distance) {
			best = *words;
			best_distance = distance;
		}
	}
	return best;
}

struct did_you_mean did_you_mean(const char *dashes, const char *near)
{
	struct did_you_mean s = {""};
	if (near) {
		snprintf(s.text, sizeof(s.text), "; did you mean %s%.*s?", dashes,
		        NEAREST_WORD_LIMIT, near);
	}
	return s;
}
