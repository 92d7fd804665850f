#include "analyzer/meaning/exchange.h"

#include <string.h>

#include "analyzer/meaning/number.h"
#include "base/letters.h"

#define PLACE_MAX 2   /* words that are exchanged */
#define TURNED_MAX 48 /* words whose order is looked at */

struct words {
	struct buf spans;
	const struct span *of;
	size_t n;
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
	*ret = (struct words){0};
	for (size_t i = 0, n; i < s.len; i += MAX(n, (size_t)1)) {
		for (n = 0; i + n < s.len && belongs(s, i + n); n++) {
		}
		struct span word = {s.data + i, n};
		if (n && !is_idle(word, ret->n == 0)) {
			buf_append(&ret->spans, &word, sizeof(word));
			ret->n++;
		}
	}
	ret->of = (const struct span *)(const void *)ret->spans.data;
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

/* Put in or left out, they say no more and no less. */
static bool says_nothing(const struct words *w, size_t from, size_t to)
{
	static const char *const words[] = {"altogether", "exactly", "overall"};
	return (to - from == 1 && span_in(w->of[from], words, ARRAY_LEN(words))) ||
	       (to - from == 2 && span_same(w->of[from], "in") &&
	               span_same(w->of[from + 1], "total"));
}

static bool differ_in_one_place(const struct words *x, const struct words *y)
{
	size_t from = 0, m = x->n, n = y->n;
	while (from < m && from < n && span_equal_nocase(x->of[from], y->of[from])) {
		from++;
	}
	while (m > from && n > from && span_equal_nocase(x->of[m - 1], y->of[n - 1])) {
		m--;
		n--;
	}
	if ((m == from && n == from) || from + (x->n - m) == 0 || has_number(x, from, m) ||
	        has_number(y, from, n)) {
		return false;
	}
	if (m == from || n == from) {
		return !says_nothing(m == from ? y : x, from, MAX(m, n));
	}
	bool few = m - from <= PLACE_MAX && n - from <= PLACE_MAX;
	return few || (m == n && m - from <= TURNED_MAX && is_turned(x, y, from, m));
}

bool exchange_of_words(struct span a, struct span b)
{
	struct words x, y;
	read_words(a, &x);
	read_words(b, &y);
	bool exchange = differ_in_one_place(&x, &y);
	buf_finish(&x.spans);
	buf_finish(&y.spans);
	return exchange;
}
