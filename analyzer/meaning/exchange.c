#include "analyzer/meaning/exchange.h"

#include <string.h>

#include "analyzer/meaning/number.h"
#include "base/letters.h"

#define WORDS_MAX 48 /* of a sentence: longer ones are not looked at */
#define PLACE_MAX 2  /* words that are exchanged */

struct words {
	struct span of[WORDS_MAX];
	size_t n;
	bool all;
};

static bool belongs(struct span s, size_t i)
{
	return is_word(s.data[i]) || (i && i + 1 < s.len && s.data[i] && strchr("'-", s.data[i]) &&
	                                     is_word(s.data[i - 1]));
}

static bool is_idle(struct span word, bool first)
{
	static const char *const articles[] = {"the", "a", "an"};
	static const char *const openers[] = {"and", "finally", "hence", "now", "so", "then",
	        "therefore", "thus", "well", "yes", "no"};
	return span_in(word, articles, ARRAY_LEN(articles)) ||
	       (first && span_in(word, openers, ARRAY_LEN(openers)));
}

static void read_words(struct span s, struct words *ret)
{
	ret->n = 0;
	ret->all = true;
	for (size_t i = 0, n; i < s.len; i += MAX(n, (size_t)1)) {
		for (n = 0; i + n < s.len && belongs(s, i + n); n++) {
		}
		struct span word = {s.data + i, n};
		if (n == 0 || is_idle(word, ret->n == 0)) {
			continue;
		}
		if (ret->n == WORDS_MAX) {
			ret->all = false;
			return;
		}
		ret->of[ret->n++] = word;
	}
}

static bool has_number(const struct words *w, size_t from, size_t to)
{
	struct number n;
	for (size_t i = from; i < to; i++) {
		if (number_read(w->of[i], &n)) {
			return true;
		}
	}
	return false;
}

/* The same words in another order. */
static bool is_turned(const struct words *a, const struct words *b, size_t from, size_t to)
{
	for (size_t i = from; i < to; i++) {
		size_t more = 0;
		for (size_t k = from; k < to; k++) {
			more += span_equal_nocase(a->of[i], a->of[k]);
			more -= span_equal_nocase(a->of[i], b->of[k]);
		}
		if (more) {
			return false;
		}
	}
	return true;
}

bool exchange_of_words(struct span a, struct span b)
{
	struct words x, y;
	read_words(a, &x);
	read_words(b, &y);
	if (!x.all || !y.all) {
		return false;
	}
	size_t from = 0, m = x.n, n = y.n;
	while (from < m && from < n && span_equal_nocase(x.of[from], y.of[from])) {
		from++;
	}
	while (m > from && n > from && span_equal_nocase(x.of[m - 1], y.of[n - 1])) {
		m--;
		n--;
	}
	if (m == from || n == from || from + (x.n - m) == 0 || has_number(&x, from, m) ||
	        has_number(&y, from, n)) {
		return false;
	}
	bool few = m - from <= PLACE_MAX && n - from <= PLACE_MAX;
	return few || (m == n && is_turned(&x, &y, from, m));
}
