#include "analyzer/compare/meaning/quantity.h"

#include <string.h>

#include "analyzer/compare/meaning/number_words.h"
#include "analyzer/compare/meaning/word.h"
#include "base/letters.h"

/* Words that may follow a number without naming what is counted. */
static const char *const loose_words[] = {"because", "as", "which", "since", "and", "for", "in",
        "at", "on", "after", "when", "where", "if", "so", "by", "is", "are", "was", "were", "per",
        "with", "from", "of", "the", "total", "altogether", "left", "based", "given"};
/* And those that make it one of several, or something else. */
static const char *const spoilers[] = {"a", "an", "or", "to", "through", "until", "and", "plus",
        "minus", "times", "over", "divided", "mod", "modulo", "but", "not", "x", "per", "dozen",
        "dozens", "pair", "pairs", "couple", "couples", "score", "scores", "gross", "half",
        "halves", "each", "other", "extra", "additional", "further", "third", "thirds", "quarter",
        "quarters", "point", "hundreds", "thousands", "lakhs", "crores", "grand", "grands", "less",
        "more", "fewer", "than", "maximum", "minimum", "max", "squared", "cubed", "factorial",
        "root", "log", "pi", "doubled", "tripled", "halved", "recurring", "repeating", "negative",
        "out", "as", "tens", "digits", "figures", "zeros", "zeroes", "ones", "twos", "threes",
        "fours", "fives", "sixes", "sevens", "eights", "nines", "bps", "percentages", "elevens",
        "twelves", "twenties", "thirties", "forties", "fifties", "sixties", "seventies", "eighties",
        "nineties"};
static const char *const rough_words[] = {"about ", "around ", "approximately ", "roughly ",
        "nearly ", "almost ", "over ", "under ", "at least ", "at most ", "more than ",
        "less than ", "up to ", "≈ ", "≈", "~", "~ ", "> ", ">", "< ", "<", "≥ ", "≥", "≤ ", "≤"};
/* Nouns in their plural that do not end as the others do; and words that do, and are none. */
static const char *const plurals[] = {"people", "men", "women", "children", "mice", "geese",
        "teeth", "oxen", "sheep", "fish", "deer", "dice", "cattle", "police", "feet"};
static const char *const no_plurals[] = {"yes", "this", "its", "his", "has", "does", "thus",
        "perhaps", "always", "sometimes", "versus", "besides", "across", "towards", "makes",
        "gives", "equals", "remains", "plus", "minus", "less", "unless", "whereas", "hours"};
#define SYMBOL_MAX 4
#define PHRASE_WORDS 4 /* "5 very small red apples" */

static size_t blanks(struct span s, size_t at)
{
	while (at < s.len && s.data[at] == ' ') {
		at++;
	}
	return at;
}

static bool multiply(struct number *n, int32_t tens)
{
	struct fraction by;
	fraction_of_ratio(&by, 1, 1);
	by.ten = tens;
	n->has_other = n->has_other && fraction_multiply(&n->other, &by);
	n->decimals = (uint16_t)MAX(0, (int32_t)n->decimals - tens);
	n->trailing_zeros = false;
	return fraction_multiply(&n->value, &by);
}

/* "million", and the k, M, bn and B of money. */
static size_t read_scale(struct span s, size_t at, struct quantity *q)
{
	static const struct {
		const char *text;
		int32_t tens;
	} letters[] = {{"bn", 9}, {"k", 3}, {"K", 3}, {"M", 6}, {"B", 9}},
	  words[] = {{"hundred", 2}, {"lakh", 5}, {"crore", 7}, {"quadrillion", 15}};
	int32_t tens;
	size_t from = blanks(s, at);
	size_t n = number_words_scale(span_from(s, from), &tens);
	struct span word = word_letters(s, from);
	for (size_t i = 0; i < ARRAY_LEN(words) && !n; i++) {
		if (span_is_nocase(word, words[i].text)) {
			n = word.len;
			tens = words[i].tens;
		}
	}
	if (n) {
		return multiply(&q->number, tens) ? from + n : 0;
	}
	for (size_t i = 0; i < ARRAY_LEN(letters) && q->unit; i++) {
		size_t end = at + strlen(letters[i].text);
		if (span_starts(span_from(s, at), letters[i].text) &&
		        (end == s.len || !is_word(s.data[end]))) {
			return multiply(&q->number, letters[i].tens) ? end : 0;
		}
	}
	return at;
}

/* "5 at most" */
static bool is_bound(struct span s, size_t at)
{
	return span_starts_nocase(span_from(s, at), "at least") ||
	       span_starts_nocase(span_from(s, at), "at most") ||
	       span_starts_nocase(span_from(s, at), "in binary") ||
	       span_starts_nocase(span_from(s, at), "in base") ||
	       span_starts_nocase(span_from(s, at), "in hex");
}

static bool ends_in(struct span word, const char *end)
{
	size_t n = strlen(end);
	return word.len >= n && span_is_nocase(span_from(word, word.len - n), end);
}

/* A part of a whole: "fifths" */
static bool is_part(struct span word)
{
	static const char *const ends[] = {"fifth", "sixth", "seventh", "eighth", "ninth", "tenth",
	        "eleventh", "twelfth", "teenth", "tieth", "hundredth", "thousandth", "illionth"};
	word.len -= word.len && to_lower(word.data[word.len - 1]) == 's';
	for (size_t i = 0; i < ARRAY_LEN(ends); i++) {
		if (ends_in(word, ends[i])) {
			return true;
		}
	}
	return false;
}

static bool is_spoiler(struct span word)
{
	return span_in(word, spoilers, ARRAY_LEN(spoilers)) || is_part(word) ||
	       ends_in(word, "illions") || (ends_in(word, "teens") && word.len > 5);
}

/* What stands behind makes it no lone quantity. */
static bool is_spoilt(struct span s, size_t at)
{
	if (at < s.len && is_word(s.data[at])) {
		return true;
	}
	size_t from = blanks(s, at);
	struct span word = word_letters(s, from);
	if (from == s.len) {
		return false;
	}
	if (word.len) {
		/* "5 and that is all" may be; "5 and 6" is not: no telling without reading on. */
		return is_spoiler(word) || is_bound(s, from);
	}
	struct span rest = span_from(s, from);
	if (s.data[from] == '!' && from == at) {
		return true; /* a factorial */
	}
	if (from == at && span_starts(rest, "..")) {
		return true; /* the digits go on */
	}
	if (s.data[from] && strchr(".,;:!)]}\"'\n", s.data[from])) {
		/* A list or a decimal that was not understood. */
		size_t next = blanks(s, from + 1);
		return next < s.len && is_digit(s.data[next]) && strchr(",.:'", s.data[from]);
	}
	return !(span_starts(rest, "(") && from > at) && !span_starts(rest, "—");
}

/* "kg m/s", "N·m": the unit before was not the whole of it. */
static bool has_more_unit(struct span s, size_t at)
{
	const struct unit *more;
	size_t from = blanks(s, at);
	struct span word = word_letters(s, from);
	return word.len && !span_in(word, loose_words, ARRAY_LEN(loose_words)) &&
	       unit_read(span_from(s, from), &more) > 0;
}

/* The word names things that are counted, and nothing else: then its number says as much without it. */
static bool is_plural(struct span word)
{
	for (size_t i = 1; i < word.len; i++) {
		if (!is_lower(word.data[i])) {
			return false;
		}
	}
	return span_in(word, plurals, ARRAY_LEN(plurals)) ||
	       (word.len > 2 && ends_in(word, "s") && !ends_in(word, "ss") &&
	               !span_in(word, no_plurals, ARRAY_LEN(no_plurals)));
}

/* Where the words at `at` end with a noun in its plural: "red apples"; 0: they name nothing that is counted. */
static size_t counted_end(struct span s, size_t at)
{
	for (size_t i = 0; i < PHRASE_WORDS; i++) {
		struct span word = word_letters(s, at);
		if (word.len == 0 || is_spoiler(word) ||
		        span_in(word, loose_words, ARRAY_LEN(loose_words))) {
			return 0;
		}
		size_t end = at + word.len;
		if (is_plural(word)) {
			return end;
		}
		if (end == s.len || (s.data[end] != ' ' && s.data[end] != '-')) {
			return 0;
		}
		at = s.data[end] == ' ' ? blanks(s, end) : end + 1;
	}
	return 0;
}

static size_t read_label(struct span s, size_t at, struct quantity *q)
{
	size_t from = blanks(s, at);
	struct span word = word_letters(s, from);
	if (from == at || word.len == 0 || span_in(word, loose_words, ARRAY_LEN(loose_words)) ||
	        is_spoiler(word)) {
		return at;
	}
	size_t end = counted_end(s, from);
	q->counted = end > 0;
	q->label = (struct span){word.data, end ? end - from : word.len};
	return from + q->label.len;
}

static size_t read_rough(struct span s, struct quantity *q)
{
	for (size_t i = 0; i < ARRAY_LEN(rough_words); i++) {
		if (span_starts_nocase(s, rough_words[i])) {
			q->rough = true;
			return strlen(rough_words[i]);
		}
	}
	return 0;
}

size_t quantity_read(struct span text, struct quantity *ret)
{
	*ret = (struct quantity){0};
	size_t at = read_rough(text, ret);
	bool minus = span_starts(span_from(text, at), "-");
	size_t sign = at + minus;
	size_t money = unit_read_currency(span_from(text, sign), &ret->unit);
	if (money) {
		at = blanks(text, sign + money);
	}
	size_t n = at < text.len ? number_read(span_from(text, at), &ret->number) : 0;
	if (!n) {
		return 0;
	}
	ret->written = (struct span){text.data + at, n};
	if (money && minus) {
		ret->number.value.negative = !fraction_is_zero(&ret->number.value);
		ret->number.has_other = false;
	}
	at = read_scale(text, at + n, ret);
	if (!at) {
		return 0;
	}
	const struct unit *unit;
	size_t gap = blanks(text, at);
	n = gap < text.len ? unit_read(span_from(text, gap), &unit) : 0;
	/* "in" is a word sooner than an inch. */
	if (n && strcmp(unit->name, "in") == 0 && n == 2 && gap + n < text.len) {
		n = 0;
	}
	if (n) {
		bool same_money = ret->unit && ret->unit->dimension == unit->dimension;
		if (ret->unit && !same_money) {
			return 0;
		}
		ret->unit = same_money && !unit->loose ? ret->unit : unit;
		at = gap + n;
		if (has_more_unit(text, at)) {
			return 0;
		}
	} else if (!ret->unit) {
		at = read_label(text, at, ret);
	}
	return is_spoilt(text, at) ? 0 : at;
}

/* The same but for an s at the end. */
static bool labels_agree(struct span a, struct span b)
{
	if (a.len > b.len) {
		return labels_agree(b, a);
	}
	/* "mS" and "MS" are other units. */
	if (a.len == b.len && a.len <= SYMBOL_MAX) {
		return span_equal(a, b);
	}
	bool plural = b.len == a.len + 1 && to_lower(b.data[a.len]) == 's';
	b.len = a.len + !plural * (b.len - a.len);
	return span_equal_nocase(a, b);
}

/* Within a hundredth: one may be the other, converted and rounded. */
static bool is_close(const struct fraction *a, const struct fraction *b)
{
	struct fraction gap = *b, hundred;
	gap.negative = !gap.negative && !fraction_is_zero(b);
	fraction_of_ratio(&hundred, 100, 1);
	return !fraction_add(&gap, a) || !fraction_multiply(&gap, &hundred) ||
	       fraction_less(&gap, a);
}

static enum agreement across_units(const struct quantity *a, const struct quantity *b)
{
	struct fraction x = a->number.value, y = b->number.value;
	if (a->unit->dimension != b->unit->dimension) {
		/* "m" may be minutes or millions. */
		return fraction_equal(&x, &y) && (!a->unit->name[1] || !b->unit->name[1])
		               ? AGREE_UNDECIDED
		               : AGREE_CHANGED;
	}
	if (a->unit->loose || b->unit->loose || a->number.unsure || b->number.unsure ||
	        !unit_convert(a->unit, &x) || !unit_convert(b->unit, &y)) {
		return AGREE_UNDECIDED;
	}
	if (fraction_equal(&x, &y)) {
		return AGREE_SAME;
	}
	return is_close(&x, &y) ? AGREE_UNDECIDED : AGREE_CHANGED;
}

static bool has_slash(const struct quantity *q)
{
	return q->written.len && memchr(q->written.data, '/', q->written.len);
}

/* "3/4", and not "6/8" or "12/1": its value is written so. Of a mixed number too, which is no date. */
static bool is_lowest(struct span written)
{
	uint64_t terms[2] = {0};
	size_t at = 0;
	for (size_t i = 0; i < written.len; i++) {
		char c = written.data[i];
		bool parts = is_blank(c) && i && is_digit(written.data[i - 1]);
		if (parts && i + 1 < written.len && is_digit(written.data[i + 1])) {
			return true; /* 2 1/2 */
		}
		at += c == '/' && at == 0;
		if (is_digit(c) && terms[at] > UINT32_MAX) {
			return false;
		}
		terms[at] = is_digit(c) ? 10 * terms[at] + (uint64_t)(c - '0') : terms[at];
	}
	uint64_t x = terms[0], y = terms[1];
	while (y) {
		uint64_t rest = x % y;
		x = y;
		y = rest;
	}
	return x == 1 && terms[1] != 1;
}

/* "9/11" may be a date where no number was asked for, as may "10/5". Beside "0.75" or "¾", one in lowest terms is believed to be a
 * fraction. */
static bool may_be_date(const struct quantity *a, const struct quantity *b)
{
	bool of_a = has_slash(a), of_b = has_slash(b);
	return !a->unit && ((of_a && of_b) || (of_a && !is_lowest(a->written)) ||
	                           (of_b && !is_lowest(b->written)));
}

/* "6/8 time" is not "3/4 time": what is not known to be measured may be named by its fraction. */
static bool is_reduced(const struct quantity *a, const struct quantity *b, bool bare)
{
	bool ratios = a->number.ratio && b->number.ratio;
	bool named = ratios && (a->label.len || b->label.len);
	bool alike = ratios && fraction_spelt_alike(&a->number.value, &b->number.value);
	return (named || (bare && may_be_date(a, b))) && !alike;
}

enum agreement quantity_agreement(const struct quantity *a, const struct quantity *b, bool bare)
{
	if (a->unit && b->unit && a->unit != b->unit) {
		enum agreement units = across_units(a, b);
		return a->rough || b->rough ? AGREE_UNDECIDED : units;
	}
	bool same_unit = a->unit == b->unit;
	enum agreement numbers =
	        number_agreement(&a->number, &b->number, bare && !(same_unit && a->unit));
	if (a->rough != b->rough || (a->rough && numbers == AGREE_SAME)) {
		return AGREE_UNDECIDED;
	}
	if (!same_unit) {
		const struct quantity *with = a->unit ? a : b, *without = a->unit ? b : a;
		bool explained =
		        unit_explains(with->unit, &with->number.value, &without->number.value);
		return numbers == AGREE_CHANGED && !explained && !without->label.len
		               ? AGREE_CHANGED
		               : AGREE_UNDECIDED;
	}
	if (numbers == AGREE_SAME && is_reduced(a, b, bare)) {
		return AGREE_UNDECIDED;
	}
	if (a->label.len && b->label.len && !labels_agree(a->label, b->label)) {
		return AGREE_UNDECIDED;
	}
	/* "5 lots": what is not known to be counted may multiply, or be a part. */
	bool known = (!a->label.len || a->counted) && (!b->label.len || b->counted);
	return known || (a->label.len && b->label.len) ? numbers : AGREE_UNDECIDED;
}
