#include "analyzer/compare/meaning/exchange.h"

#include <string.h>

#include "analyzer/compare/meaning/number.h"
#include "analyzer/compare/meaning/word.h"
#include "base/letters.h"

#define PLACE_MAX 2   /* words that are exchanged */
#define LONG_MAX 6    /* ... beside one that is the same */
#define SUM_BYTES 64  /* from a number of a sum to the next "=" */
#define TURNED_MAX 48 /* words whose order is looked at */
/* Of the words: from so many on that are the same, the rest is exchanged in them, and it is no other sentence. */
#define ALIKE_SHARE 0.6f

struct words {
	struct buf spans;
	size_t n, cut; /* of them before the number that is told */
	bool totals;   /* it says that it is one: "in total" */
};

/* The same part of both sentences. */
struct part {
	const struct span *a, *b;
	size_t n, m;
	size_t head, tail; /* words that both begin and end with */
};

static const struct span *words_of(const struct words *w)
{
	return (const struct span *)(const void *)w->spans.data;
}

static bool is_idle(struct span word, bool first)
{
	static const char *const articles[] = {"the", "a", "an"};
	static const char *const openers[] = {"and", "finally", "hence", "now", "so", "then",
	        "therefore", "thus", "well", "yes", "no"};
	return span_in(word, articles, ARRAY_LEN(articles)) ||
	       (first && span_in(word, openers, ARRAY_LEN(openers)));
}

/* How far what stands there says no more and no less, put in or left out: "in total", the first word of "total number". */
static size_t idle_end(struct span s, size_t at, bool *ret_totals)
{
	static const char *const totals[] = {"altogether", "overall"};
	struct span word = word_at(s, at), next = {0};
	size_t from = at + word.len;
	while (from < s.len && is_blank(s.data[from])) {
		from++;
	}
	next = word_at(s, from);
	bool in_total = span_same(word, "in") && span_same(next, "total");
	if (in_total || span_in(word, totals, ARRAY_LEN(totals))) {
		*ret_totals = true;
		return in_total ? from + next.len : at + word.len;
	}
	bool number = span_same(word, "total") && span_same(next, "number");
	return number || span_same(word, "exactly") ? at + word.len : at;
}

/* A number stands behind a sign, with nothing but blanks, brackets and currencies between. */
static bool is_before_number(struct span behind)
{
	size_t n = 0;
	while (n < behind.len && !is_alnum(behind.data[n])) {
		n++;
	}
	return n < behind.len && is_digit(behind.data[n]);
}

/*
 * Such signs join parts of a word, too: "e-books", "red/blue", "F-16", "2-liter". Where there are words, "2-3" and "24/7" may be like
 * these.
 */
static bool is_joint(struct span sum, size_t i, bool worded)
{
	char before = i ? sum.data[i - 1] : ' ';
	char behind = i + 1 < sum.len ? sum.data[i + 1] : ' ';
	if (is_blank(before) || is_blank(behind)) {
		return false;
	}
	bool range = sum.data[i] == '-' || sum.data[i] == '/';
	return is_latin(before) || is_latin(behind) || (worded && range);
}

static size_t sign_length(struct span sum, size_t i, bool worded)
{
	static const char *const signs[] = {
	        "×", "÷", "·", " x ", " times ", " plus ", " minus ", " divided by "};
	struct span here = span_from(sum, i);
	if (*here.data && strchr("+-*/", *here.data)) {
		return !is_joint(sum, i, worded);
	}
	for (size_t k = 0; k < ARRAY_LEN(signs); k++) {
		if (span_starts(here, signs[k])) {
			return strlen(signs[k]);
		}
	}
	return 0;
}

static bool has_word(struct span s)
{
	bool word = false;
	for (size_t i = 0; i < s.len && !word; i++) {
		word = is_letter(s.data[i]);
	}
	return word;
}

/* Behind the "=" of a sum that begins there, "3 + 9 =": it tells how a number came about. 0: none does. */
static size_t sum_length(struct span s)
{
	const char *equals = memchr(s.data, '=', MIN(s.len, (size_t)SUM_BYTES));
	struct span sum = span_between(s.data, equals ? equals : s.data);
	bool worded = has_word(sum), found = false;
	for (size_t i = 0; i < sum.len; i++) {
		/* "1,200" */
		bool comma = sum.data[i] == ',' && !is_digit(sum.data[i + 1]);
		if (comma || strchr("\n;:", sum.data[i])) {
			return 0;
		}
		size_t sign = found ? 0 : sign_length(sum, i, worded);
		found = found || (sign && is_before_number(span_from(sum, i + sign)));
	}
	return found ? sum.len + 1 : 0;
}

static void read_words(struct span s, struct words *to)
{
	for (size_t i = 0; i < s.len;) {
		struct span word = word_at(s, i);
		size_t end = word.len ? idle_end(s, i, &to->totals) : i;
		end += is_digit(s.data[i]) ? sum_length(span_from(s, i)) : 0;
		if (end == i && word.len && !is_idle(word, to->n == 0)) {
			buf_append(&to->spans, &word, sizeof(word));
			to->n++;
		}
		i = MAX(end, i + MAX(word.len, (size_t)1));
	}
}

static bool is_total(struct span word)
{
	return span_same(word, "total");
}

static bool says_total(const struct words *w)
{
	bool says = w->totals;
	for (size_t i = 0; i < w->n && !says; i++) {
		says = is_total(words_of(w)[i]);
	}
	return says;
}

static void drop_total(struct words *w)
{
	struct span *of = (struct span *)(void *)w->spans.data;
	size_t n = 0, cut = w->cut;
	for (size_t i = 0; i < w->n; i++) {
		if (is_total(of[i])) {
			w->cut -= i < cut;
		} else {
			of[n++] = of[i];
		}
	}
	w->n = n;
}

static bool is_number(struct span word)
{
	struct number n;
	return number_read(word, &n) == word.len;
}

static size_t count_numbers(const struct span *words, size_t n)
{
	size_t numbers = 0;
	for (size_t i = 0; i < n; i++) {
		numbers += is_number(words[i]);
	}
	return numbers;
}

/* Put in, left out or exchanged, they change nothing that can be told here: numbers, which are compared by themselves, and "are
 * there", but no "there" alone. */
static bool is_quiet(const struct span *words, size_t n)
{
	static const char *const being[] = {"are", "is"};
	bool there = false, be = false;
	for (size_t i = 0; i < n; i++) {
		bool is_there = span_same(words[i], "there");
		bool is_being = span_in(words[i], being, ARRAY_LEN(being));
		if (!is_there && !is_being && !is_number(words[i])) {
			return false;
		}
		there |= is_there;
		be |= is_being;
	}
	return be || !there;
}

/* The same words in another order. */
static bool is_turned(const struct span *a, const struct span *b, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		size_t more = 0;
		for (size_t k = 0; k < n; k++) {
			more += span_equal_nocase(a[i], a[k]);
			more -= span_equal_nocase(a[i], b[k]);
		}
		if (more) {
			return false;
		}
	}
	return true;
}

static struct part part_of(
        const struct words *x, size_t from, size_t to, const struct words *y, size_t at, size_t end)
{
	struct part p = {.n = to - from, .m = end - at};
	p.a = p.n ? words_of(x) + from : NULL;
	p.b = p.m ? words_of(y) + at : NULL;
	size_t least = MIN(p.n, p.m);
	while (p.head < least && span_equal_nocase(p.a[p.head], p.b[p.head])) {
		p.head++;
	}
	while (p.head + p.tail < least &&
	        span_equal_nocase(p.a[p.n - 1 - p.tail], p.b[p.m - 1 - p.tail])) {
		p.tail++;
	}
	return p;
}

/* How many words of each side differ between what both begin and end with. */
static size_t left_of(const struct part *p, size_t *ret_b)
{
	*ret_b = p->m - p->head - p->tail;
	return p->n - p->head - p->tail;
}

/* What differs is a word or two, or some beside one that is the same, or words that only one side has, or their order. */
static bool differs_in_one_place(const struct part *p)
{
	size_t m, n = left_of(p, &m);
	static const struct span none;
	const struct span *a = p->n ? p->a + p->head : &none, *b = p->m ? p->b + p->head : &none;
	if (is_quiet(a, n) && is_quiet(b, m)) {
		return false;
	}
	size_t of_a = count_numbers(a, n), of_b = count_numbers(b, m), numbers = of_a + of_b;
	size_t most = MAX(n - of_a, m - of_b);
	bool beside = p->head || p->tail, within = p->head && p->tail;
	if (most <= PLACE_MAX) {
		return true;
	}
	/* Many words that only one has, with numbers among them, tell how the number came about. */
	if (n == 0 || m == 0) {
		return numbers == 0;
	}
	return (most <= LONG_MAX && beside) || (numbers == 0 && within) ||
	       (n == m && n <= TURNED_MAX && is_turned(a, b, n));
}

/* The place that begins at both: how many words of each it has before words that are the same, or the end. */
static bool find_place(const struct part *p, size_t i, size_t k, size_t *ret_a, size_t *ret_b)
{
	for (size_t sum = 1; sum <= (size_t)2 * PLACE_MAX; sum++) {
		for (size_t n = sum > PLACE_MAX ? sum - PLACE_MAX : 0;
		        n <= MIN(sum, (size_t)PLACE_MAX); n++) {
			size_t to = i + n, end = k + sum - n;
			bool last = to == p->n && end == p->m;
			if (last || (to < p->n && end < p->m &&
			                    span_equal_nocase(p->a[to], p->b[end]))) {
				*ret_a = n;
				*ret_b = sum - n;
				return true;
			}
		}
	}
	return false;
}

/* Words differ in several places, a word or two in each, and most are the same. */
static bool differ_in_places(const struct part *parts, size_t n_parts)
{
	size_t shared = 0, all = 0, places = 0;
	for (size_t at = 0; at < n_parts; at++) {
		const struct part *p = &parts[at];
		all += p->n + p->m;
		for (size_t i = 0, k = 0, n, m; i < p->n || k < p->m;) {
			if (i < p->n && k < p->m && span_equal_nocase(p->a[i], p->b[k])) {
				shared++;
				i++;
				k++;
				continue;
			}
			if (!find_place(p, i, k, &n, &m)) {
				return false;
			}
			places += !(n == 0 || is_quiet(p->a + i, n)) ||
			          !(m == 0 || is_quiet(p->b + k, m));
			i += n;
			k += m;
		}
	}
	return places && 2.0f * (float)shared >= ALIKE_SHARE * (float)all;
}

static bool differ(const struct words *x, const struct words *y, bool number)
{
	struct part parts[] = {
	        part_of(x, 0, x->cut, y, 0, y->cut), part_of(x, x->cut, x->n, y, y->cut, y->n)};
	size_t unlike = 0, shared = number;
	bool exchanged = false, beside = false; /* words in one part, beside one that is the same */
	for (size_t i = 0; i < ARRAY_LEN(parts); i++) {
		size_t m, n = left_of(&parts[i], &m), same = parts[i].head + parts[i].tail;
		bool one = (n || m) && differs_in_one_place(&parts[i]);
		shared += same;
		unlike += n || m;
		exchanged |= one;
		beside |= one && same && n && m;
	}
	return beside || (exchanged && unlike == 1 && shared) ||
	       (unlike && differ_in_places(parts, ARRAY_LEN(parts)));
}

static void read_around(struct span s, struct span number, struct words *ret)
{
	*ret = (struct words){0};
	const char *end = s.data + s.len;
	read_words(span_between(s.data, number.data), ret);
	ret->cut = ret->n;
	read_words(span_between(number.data + number.len, end), ret);
}

bool exchange_beside(struct span a, struct span at_a, struct span b, struct span at_b)
{
	struct words x, y;
	read_around(a, at_a, &x);
	read_around(b, at_b, &y);
	/* "The total cost is 12", "the cost is 12 in total" */
	if (says_total(&x) && says_total(&y)) {
		drop_total(&x);
		drop_total(&y);
	}
	bool number = at_a.len && at_b.len;
	/* Which of two places of one size is taken first depends on the side. */
	bool exchange = differ(&x, &y, number) || differ(&y, &x, number);
	buf_finish(&x.spans);
	buf_finish(&y.spans);
	return exchange;
}

bool exchange_of_words(struct span a, struct span b)
{
	return exchange_beside(a, span_from(a, a.len), b, span_from(b, b.len));
}
