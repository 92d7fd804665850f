#include "analyzer/compare/meaning/extract.h"

#include <string.h>

#include "analyzer/compare/meaning/attribute.h"
#include "analyzer/compare/meaning/doubt.h"
#include "analyzer/compare/meaning/exchange.h"
#include "analyzer/compare/meaning/extract_boxed.h"
#include "analyzer/compare/meaning/extract_first.h"
#include "analyzer/compare/meaning/extract_last.h"
#include "analyzer/compare/meaning/opposites.h"
#include "analyzer/compare/meaning/prose.h"
#include "analyzer/compare/meaning/sentence.h"
#include "analyzer/compare/meaning/word.h"
#include "base/letters.h"
#include "base/utf8.h"

#define SHORT_MAX 160
#define SHORT_WORDS 3

const char *extract_source_name(enum extract_source s)
{
	static const char *const names[N_SOURCES] = {
	        "none", "boxed", "marker", "whole", "first", "last"};
	return names[s];
}

/* ASCII's digits throughout; the text itself if it has no others. */
static struct span with_digits(struct climb *c, struct span s)
{
	if (utf8_ascii_end(s.data, s.data + s.len) == s.data + s.len) {
		return s;
	}
	buf_clear(&c->digits);
	ladder_digits(s, &c->digits);
	return buf_span(&c->digits);
}

/* Bytes of the marker at s, through what leads to the value; 0: it is none. */
static size_t marker_length(struct span s, bool line_start)
{
	static const char *const after[] = {" is:", " is", ":", " ="};
	size_t n = 0;
	if (line_start && span_starts(s, "#### ")) {
		return 5;
	}
	if (!span_starts_nocase(s, "answer")) {
		return 0;
	}
	for (size_t i = 0; i < ARRAY_LEN(after) && !n; i++) {
		if (span_starts(span_from(s, 6), after[i])) {
			n = 6 + strlen(after[i]);
		}
	}
	if (!n && s.len > 6 && s.data[6] == '\n') {
		n = line_start ? 6 : 0; /* under a heading */
	}
	if (!n || (n < s.len && is_word(s.data[n]))) {
		return 0;
	}
	while (n < s.len && is_space(s.data[n])) {
		n++;
	}
	return n;
}

/* How a line of a list begins: with a digit, with a mark; or 0. "x = 5", "a) 5" and "Tom: 5" count as one. */
static char list_mark(struct span line)
{
	if (line.len == 0 || is_digit(*line.data)) {
		return line.len ? '1' : '\0';
	}
	if (!is_letter(*line.data)) {
		return *line.data;
	}
	size_t n = 0;
	while (n < line.len && is_word(line.data[n])) {
		n++;
	}
	size_t word = n;
	while (n < line.len && is_blank(line.data[n])) {
		n++;
	}
	/* "B: Paris" is an option, with its explanation below. */
	bool marked = n < line.len && (line.data[n] == '=' || (word == 1 && line.data[n] == ')') ||
	                                      (word > 1 && line.data[n] == ':'));
	return marked ? line.data[n] : '\0';
}

/* The next line goes on as the answer does: it is one of several. Of words, where it stands under its marker. */
static bool is_listed(struct span words, struct span said)
{
	struct span rest = span_between(said.data + said.len, words.data + words.len);
	while (rest.len && *rest.data != '\n') {
		rest = span_from(rest, 1);
	}
	if (rest.len < 2) {
		return false;
	}
	rest = span_from(rest, 1);
	const char *feed = memchr(rest.data, '\n', rest.len), *p = said.data;
	struct span line = span_between(rest.data, feed ? feed : rest.data + rest.len);
	while (p > words.data && is_blank(p[-1])) {
		p--;
	}
	size_t n = line.len <= SHORT_MAX ? word_count(line) : SHORT_MAX;
	bool item = p > words.data && p[-1] == '\n' && n && n <= SHORT_WORDS &&
	            !strchr(".:!?", line.data[line.len - 1]);
	char mark = list_mark(said);
	return item || (mark && list_mark(line) == mark);
}

/* The letter of "answer" that is rarest in texts, and where it stands in it. */
#define RARE_LETTER 'w'
#define RARE_AT 3

/* Where a byte comes next: the text's length if nowhere, 0 before it was looked for. */
struct sought {
	char byte;
	size_t next; /* + 1 */
};

static size_t seek(struct sought *s, struct span words, size_t from)
{
	if (s->next <= from && from < words.len) {
		const char *found = memchr(words.data + from, s->byte, words.len - from);
		s->next = 1 + (found ? (size_t)(found - words.data) : words.len);
	}
	return from < words.len ? s->next - 1 : words.len;
}

struct seeker {
	struct sought mark, small, capital;
};

/* The first place at or behind `from` where a marker may begin: the text's length if there is none. */
static size_t next_marker(struct seeker *k, struct span words, size_t from)
{
	size_t mark = seek(&k->mark, words, from);
	size_t small = seek(&k->small, words, from + RARE_AT);
	size_t capital = seek(&k->capital, words, from + RARE_AT), letter = MIN(small, capital);
	return letter < words.len ? MIN(mark, letter - RARE_AT) : mark;
}

static bool read_marker(struct span words, enum question q, struct extract *ret)
{
	struct span last = {0};
	size_t n = 0, at = 0;
	struct seeker seeker = {{'#', 0}, {RARE_LETTER, 0}, {RARE_LETTER - 32, 0}};
	for (size_t i = 0; (i = next_marker(&seeker, words, i)) < words.len; i++) {
		if (i && is_word(words.data[i - 1])) {
			continue;
		}
		bool starts = i == 0 || words.data[i - 1] == '\n';
		/* "Final answer" under a heading: its line begins with another word. */
		bool heading = i > 5 && span_same((struct span){words.data + i - 6, 6}, "final ");
		size_t marker = marker_length(span_from(words, i), starts || heading);
		if (!marker || doubt_before(words, i)) {
			continue;
		}
		struct span said = sentence_first(span_from(words, i + marker), SHORT_MAX);
		if (said.len) {
			ret->others |= n++ && !span_equal(said, last);
			last = said;
			at = i;
		}
		i += marker - 1;
	}
	if (n == 0 || last.len > SHORT_MAX) {
		return false;
	}
	const char *end = words.data + words.len;
	value_read(last, q, true, &ret->value);
	ret->doubted = doubt_takes_back(last) || last.data[last.len - 1] == '?' ||
	               doubt_behind(span_between(last.data + last.len, end)) ||
	               is_listed(words, last) || doubt_names(words, at);
	ret->source = SOURCE_MARKER;
	const char *from = sentence_around(words, words.data + at).data;
	ret->attribute = attribute_of_lead(span_between(from, words.data + at));
	return true;
}

static bool read_whole(struct span words, enum question q, struct extract *ret)
{
	if (words.len > SHORT_MAX || words.len == 0 || memchr(words.data, '\n', words.len)) {
		return false;
	}
	value_read(words, q, false, &ret->value);
	size_t n = word_count(words);
	size_t article = span_starts_nocase(words, "the ") || span_starts_nocase(words, "a ");
	if (ret->value.kind == VALUE_TEXT && n > SHORT_WORDS + article) {
		return false;
	}
	ret->source = SOURCE_WHOLE;
	return true;
}

/* Behind the last box a line says another answer. */
static bool says_another(
        struct climb *c, struct span behind, enum question q, const struct value *boxed)
{
	struct extract marked = {.source = SOURCE_NONE};
	if (!read_marker(behind, q, &marked)) {
		return false;
	}
	/* It is the last marker of the words too, and there without its markup. */
	return !read_marker(with_digits(c, c->words), q, &marked) ||
	       value_agreement(boxed, &marked.value, q) != AGREE_SAME;
}

void extract_read(struct climb *c, enum question q, struct extract *ret)
{
	*ret = (struct extract){.source = SOURCE_NONE};
	struct span behind;
	if (extract_boxed(c, q, ret, &behind)) {
		ret->doubted = ret->doubted || says_another(c, behind, q, &ret->value);
		return;
	}
	struct span words = with_digits(c, c->words);
	ret->words = words;
	if (read_marker(words, q, ret)) {
		return;
	}
	/* "Yes, it is" is a yes first, and words after that. */
	bool whole = read_whole(words, q, ret);
	if (whole && ret->value.kind != VALUE_TEXT) {
		return;
	}
	if (extract_first(words, q, ret) || (whole && read_whole(words, q, ret)) ||
	        (q == QUESTION_NUMBER && extract_last(words, ret))) {
		return;
	}
	ret->source = SOURCE_NONE;
}

/* Two texts that nothing marks the answer in differ in what may be it. */
static bool contradict(const struct extract *a, const struct extract *b)
{
	struct prose_difference d;
	(void)prose_agreement_of(a->words, b->words, &d);
	return d.numbers || d.names || d.negations || opposites_part(a->said, b->said);
}

/* "No, it's Canberra" and "No, it's Melbourne". */
static bool tell_another(const struct extract *a, const struct extract *b)
{
	if (a->said.len == 0 || b->said.len == 0) {
		return false;
	}
	struct prose_difference d;
	(void)prose_agreement_of(a->said, b->said, &d);
	return d.numbers || d.names || opposites_part(a->said, b->said) ||
	       exchange_of_words(a->said, b->said);
}

/* "No, it is." and "No, it is not." */
static bool deny(const struct extract *a, const struct extract *b)
{
	struct prose_difference d;
	(void)prose_agreement_of(a->words, b->words, &d);
	return d.negations && d.similarity > 0.5f;
}

/* The last number with its unit, but without what is counted. */
static struct span told_in(const struct extract *e)
{
	const struct quantity *q = &e->value.quantity;
	const char *from = e->value.text.data, *end = e->said.data + e->said.len;
	const char *to = q->unit || !q->written.len ? from + e->value.text.len
	                                            : q->written.data + q->written.len;
	return span_between(from, MIN(to, end));
}

static enum agreement compare_last(
        const struct extract *a, const struct extract *b, enum agreement values)
{
	bool last_a = a->source == SOURCE_LAST, last_b = b->source == SOURCE_LAST;
	if (values == AGREE_SAME) {
		/* Of two such, "she lost 5" and "she has 5", a lone number is no result. */
		bool concluded = (!last_a || a->concluded) && (!last_b || b->concluded) &&
		                 (!last_a || !last_b || (a->cued && b->cued));
		bool other = last_a && last_b &&
		             (a->change != b->change || contradict(a, b) ||
		                     exchange_beside(a->said, told_in(a), b->said, told_in(b)));
		return concluded && !other ? AGREE_SAME : AGREE_UNDECIDED;
	}
	/* The other's number is there too: it may be the answer. */
	bool mentioned = a->value.kind != VALUE_NUMBER || b->value.kind != VALUE_NUMBER ||
	                 (last_a && extract_last_mentions(a->words, &b->value.quantity.number)) ||
	                 (last_b && extract_last_mentions(b->words, &a->value.quantity.number));
	bool firm = (!last_a || a->concluded) && (!last_b || b->concluded);
	return mentioned || !firm ? AGREE_UNDECIDED : values;
}

/* "The answer of Bob", and the answer. */
static bool are_anothers(const struct extract *a, const struct extract *b)
{
	if (a->attribute.len == 0 || b->attribute.len == 0) {
		return a->attribute.len != b->attribute.len;
	}
	struct prose_difference d;
	return prose_agreement_of(a->attribute, b->attribute, &d) != AGREE_SAME;
}

enum agreement extract_agreement(const struct extract *a, const struct extract *b, enum question q)
{
	if (a->source == SOURCE_NONE || b->source == SOURCE_NONE) {
		return AGREE_UNDECIDED;
	}
	if (a->doubted || b->doubted || are_anothers(a, b)) {
		return AGREE_UNDECIDED;
	}
	enum agreement values = value_agreement(&a->value, &b->value, q);
	if (a->source == SOURCE_LAST || b->source == SOURCE_LAST) {
		return compare_last(a, b, values);
	}
	bool whole = a->source == SOURCE_WHOLE && b->source == SOURCE_WHOLE;
	bool words = a->value.kind == VALUE_TEXT && b->value.kind == VALUE_TEXT;
	if (values == AGREE_SAME) {
		/* A yes in front says all only where it was asked for. */
		bool first = a->source == SOURCE_FIRST || b->source == SOURCE_FIRST;
		bool sure = a->others == b->others && (!first || q == QUESTION_YES_NO);
		sure = sure && !(first && (deny(a, b) || tell_another(a, b))) &&
		       !opposites_part(a->said, b->said);
		return sure && !(a->others && b->others) ? AGREE_SAME : AGREE_UNDECIDED;
	}
	if (values == AGREE_CHANGED && words && !whole &&
	        MAX(word_count(a->value.text), word_count(b->value.text)) > SHORT_WORDS) {
		return AGREE_UNDECIDED;
	}
	return values;
}
