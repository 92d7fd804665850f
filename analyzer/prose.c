#include "analyzer/prose.h"

#include <string.h>

#include "analyzer/letters.h"
#include "analyzer/number.h"

#define EDIT_SIMILARITY 0.7f /* above it a difference is an edit of the same text */
#define LOOP_PERIOD_MAX 64
#define LOOP_WORDS_MIN 32

struct reader {
	struct prose *to;
	bool starts; /* a sentence begins */
};

static uint64_t hash_of(struct span s)
{
	uint64_t h = 0xcbf29ce484222325;
	for (size_t i = 0; i < s.len; i++) {
		h = (h ^ (unsigned char)to_lower(s.data[i])) * 0x100000001b3;
	}
	return h ^ h >> 29;
}

static const struct prose_word *words_of(const struct prose *p)
{
	return (const struct prose_word *)(const void *)p->words.data;
}

size_t prose_count(const struct prose *p)
{
	return p->words.len / sizeof(struct prose_word);
}

static bool is_negation(struct span w)
{
	static const char *const words[] = {"not", "no", "never", "none", "nor", "neither",
	        "cannot", "without", "nothing", "nobody", "false", "incorrect", "wrong",
	        "impossible", "untrue"};
	return span_in(w, words, ARRAY_LEN(words)) ||
	       (w.len > 3 && span_is_nocase((struct span){w.data + w.len - 3, 3}, "n't"));
}

/* Small numerals, as digits; "one" is a pronoun as often. */
static const char *numeral(struct span w)
{
	static const char *const numerals[][2] = {{"two", "2"}, {"three", "3"}, {"four", "4"},
	        {"five", "5"}, {"six", "6"}, {"seven", "7"}, {"eight", "8"}, {"nine", "9"},
	        {"ten", "10"}, {"eleven", "11"}, {"twelve", "12"}, {"zero", "0"}};
	for (size_t i = 0; i < ARRAY_LEN(numerals) && w.len <= 6; i++) {
		if (span_is_nocase(w, numerals[i][0])) {
			return numerals[i][1];
		}
	}
	return NULL;
}

static bool has(struct span w, bool (*is)(char))
{
	for (size_t i = 0; i < w.len; i++) {
		if (is(w.data[i])) {
			return true;
		}
	}
	return false;
}

static void finish_word(struct prose *to, struct span counted, uint32_t flags)
{
	struct prose_word word = {hash_of(counted), flags};
	buf_append_char(&to->form, '\n');
	buf_append(&to->words, &word, sizeof(word));
}

/* A word without punctuation around it. */
static void put_word(struct reader *r, struct span w, bool more)
{
	struct prose *to = r->to;
	bool starts = r->starts;
	r->starts = false;
	if (w.len == 0 || (span_is_nocase(w, "the") && more && (starts || is_lower(*w.data)))) {
		return;
	}
	size_t from = to->form.len;
	if (has(w, is_digit)) {
		if (!number_spell(w, &to->form)) {
			buf_append_span(&to->form, w);
		}
		struct span spelt = {to->form.data + from, to->form.len - from};
		finish_word(to, spelt, PROSE_NUMBER);
		return;
	}
	buf_append_span(&to->form, w);
	const char *digits = numeral(w);
	bool title = is_upper(*w.data) && !has(span_from(w, 1), is_upper);
	if (starts && title) {
		to->form.data[from] = to_lower(to->form.data[from]);
	}
	uint32_t flags = is_negation(w) ? PROSE_NEGATION : 0;
	bool pronoun = w.data[0] == 'I' && (w.len == 1 || w.data[1] == '\'');
	if (digits) {
		finish_word(to, span_of(digits), flags | PROSE_NUMBER);
		return;
	}
	flags |= has(w, is_upper) && !(starts && title) && !pronoun ? PROSE_NAME : 0;
	finish_word(to, w, flags);
}

/* "5km" is two words, as is "$5" or "5%": people write them both ways. */
static void split_word(struct reader *r, struct span w, bool more)
{
	static const char *const money[] = {"$", "€", "£", "¥", "₹"};
	for (size_t i = 0; i < ARRAY_LEN(money); i++) {
		size_t n = strlen(money[i]);
		if (span_starts(w, money[i]) && w.len > n) {
			put_word(r, (struct span){w.data, n}, true);
			w = span_from(w, n);
			break;
		}
	}
	size_t digits = 0;
	while (digits < w.len &&
	        (is_digit(w.data[digits]) || w.data[digits] == '.' || w.data[digits] == ',')) {
		digits++;
	}
	size_t letters = digits;
	while (letters < w.len && (is_letter(w.data[letters]) || w.data[letters] == '%')) {
		letters++;
	}
	bool unit = digits && is_digit(w.data[digits - 1]) && letters == w.len &&
	            letters > digits && letters - digits <= 4;
	if (unit) {
		put_word(r, (struct span){w.data, digits}, true);
		put_word(r, span_from(w, digits), more);
		return;
	}
	put_word(r, w, more);
}

/* Runs of blanks that were not folded stand in code or between quotation marks, or indent. */
static void put_gap(struct reader *r, struct span gap)
{
	size_t blanks = 0;
	for (size_t i = 0; i < gap.len; i++) {
		blanks = gap.data[i] == '\n' ? 0 : blanks + 1;
	}
	if (blanks > 1) {
		buf_append(&r->to->form, gap.data + gap.len - blanks, blanks);
		buf_append_char(&r->to->form, '\n');
	}
}

void prose_read(struct prose *p, struct span plain)
{
	struct reader r = {.to = p, .starts = true};
	buf_clear(&p->form);
	buf_clear(&p->words);
	const char *at = plain.data, *end = plain.data + plain.len;
	while (at < end) {
		if (is_space(*at)) {
			const char *from = at;
			while (at < end && is_space(*at)) {
				r.starts |= *at++ == '\n';
			}
			put_gap(&r, span_between(from, at));
			continue;
		}
		const char *from = at;
		while (at < end && !is_space(*at) && !span_starts(span_between(at, end), "—")) {
			at++;
		}
		const char *to = at, *close = at;
		if (at < end && !is_space(*at)) {
			at += strlen("—");
		}
		while (from < to && (*from == '"' || *from == '\'')) {
			from++;
		}
		bool ends = false, asks = false;
		while (close > from && close[-1] && strchr(".,;:!?\"'", close[-1])) {
			close--;
			ends |= *close == '.' || *close == '!' || *close == '?' || *close == ':';
			asks |= *close == '?';
		}
		split_word(&r, span_between(from, close), close == to && at < end);
		if (asks) {
			put_word(&r, SPAN("?"), true);
		}
		r.starts = ends;
	}
}

void prose_finish(struct prose *p)
{
	buf_finish(&p->form);
	buf_finish(&p->words);
	buf_finish(&p->order);
}

/* The hashes of the words that have a flag (0: all), in order; radix sort: linear. */
static uint64_t *sorted(const struct prose *p, uint32_t flag, struct buf *room, size_t *ret_n)
{
	const struct prose_word *words = words_of(p);
	size_t all = prose_count(p), n = 0;
	buf_clear(room);
	buf_reserve(room, 2 * all * sizeof(uint64_t) + 1);
	uint64_t *a = (uint64_t *)(void *)room->data, *b = a + all;
	for (size_t i = 0; i < all; i++) {
		if (!flag || (words[i].flags & flag)) {
			a[n++] = words[i].hash;
		}
	}
	if (n < 32) {
		for (size_t i = 1; i < n; i++) {
			uint64_t h = a[i];
			size_t k = i;
			for (; k && a[k - 1] > h; k--) {
				a[k] = a[k - 1];
			}
			a[k] = h;
		}
		*ret_n = n;
		return a;
	}
	for (int shift = 0; shift < 64; shift += 8) {
		size_t counts[257] = {0};
		for (size_t i = 0; i < n; i++) {
			counts[(a[i] >> shift & 0xff) + 1]++;
		}
		for (size_t i = 1; i < 257; i++) {
			counts[i] += counts[i - 1];
		}
		for (size_t i = 0; i < n; i++) {
			b[counts[a[i] >> shift & 0xff]++] = a[i];
		}
		uint64_t *swap = a;
		a = b;
		b = swap;
	}
	*ret_n = n;
	return a;
}

struct overlap {
	size_t n_a, n_b, common;
};

/* repeats: how often counts, else only whether. */
static struct overlap overlap_of(const struct prose *a, uint32_t flag_a, const struct prose *b,
        uint32_t flag_b, bool repeats)
{
	struct buf room_a = {0}, room_b = {0};
	struct overlap o = {0};
	const uint64_t *x = sorted(a, flag_a, &room_a, &o.n_a);
	const uint64_t *y = sorted(b, flag_b, &room_b, &o.n_b);
	for (size_t i = 0, k = 0; i < o.n_a && k < o.n_b;) {
		if (x[i] == y[k]) {
			o.common++;
			i++;
			k += repeats;
		} else if (x[i] < y[k]) {
			i++;
		} else {
			k++;
		}
	}
	buf_finish(&room_a);
	buf_finish(&room_b);
	return o;
}

static size_t negations(const struct prose *p)
{
	size_t n = 0;
	for (size_t i = 0; i < prose_count(p); i++) {
		n += (words_of(p)[i].flags & PROSE_NEGATION) != 0;
	}
	return n;
}

enum agreement prose_agreement(
        const struct prose *a, const struct prose *b, struct prose_difference *ret)
{
	*ret = (struct prose_difference){.similarity = 1};
	if (span_equal(buf_span(&a->form), buf_span(&b->form))) {
		return AGREE_SAME;
	}
	struct overlap all = overlap_of(a, 0, b, 0, true);
	struct overlap numbers = overlap_of(a, PROSE_NUMBER, b, PROSE_NUMBER, true);
	struct overlap names_a = overlap_of(a, PROSE_NAME, b, 0, false);
	struct overlap names_b = overlap_of(b, PROSE_NAME, a, 0, false);
	bool lacks_a = numbers.common < numbers.n_b, lacks_b = numbers.common < numbers.n_a;
	bool other_a = names_a.common < names_a.n_a, other_b = names_b.common < names_b.n_a;
	ret->similarity = 2.0f * (float)all.common / (float)MAX(all.n_a + all.n_b, 1);
	ret->numbers = lacks_a && lacks_b;
	ret->names = other_a && other_b;
	ret->negations = negations(a) != negations(b);
	ret->any = lacks_a || lacks_b || other_a || other_b || ret->negations;
	bool edit = ret->similarity >= EDIT_SIMILARITY;
	return edit && (ret->numbers || ret->names || ret->negations) ? AGREE_CHANGED
	                                                              : AGREE_UNDECIDED;
}

enum agreement prose_agreement_of(struct span a, struct span b, struct prose_difference *ret)
{
	struct prose x = {0}, y = {0};
	prose_read(&x, a);
	prose_read(&y, b);
	enum agreement agreement = prose_agreement(&x, &y, ret);
	prose_finish(&x);
	prose_finish(&y);
	return agreement;
}

bool prose_loops(const struct prose *p)
{
	const struct prose_word *w = words_of(p);
	size_t n = prose_count(p);
	for (size_t period = 1; period <= LOOP_PERIOD_MAX && period < n; period++) {
		size_t wants = MAX(4 * period, (size_t)LOOP_WORDS_MIN);
		if (n < wants) {
			break;
		}
		size_t same = period;
		while (same < wants && w[n - 1 - same + period].hash == w[n - 1 - same].hash) {
			same++;
		}
		if (same == wants) {
			return true;
		}
	}
	return false;
}
