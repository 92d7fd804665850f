#include <string.h>

#include "analyzer/compare/meaning/format.h"
#include "analyzer/compare/meaning/number.h"
#include "analyzer/compare/meaning/sentence.h"
#include "analyzer/compare/meaning/unit.h"
#include "base/ascii.h"

/*
 * Normalises prose. Numbers get one spelling: 12,345 and 1 000 000 lose their separators, 5.0
 * becomes 5, and 3.50 becomes 3.5 if it is a measurement and so not a version. The full stop at the
 * end is left out. A line break between two sentences counts as a blank.
 */

#define SENTENCE_MAX 256 /* bytes before a number that are examined */
#define NUMBER_MAX 64

struct writer {
	struct span text;
	struct buf *to;
};

static struct span word_before(struct span s)
{
	while (s.len && is_blank(s.data[s.len - 1])) {
		s.len--;
	}
	size_t from = s.len;
	while (from && s.len - from < SENTENCE_MAX && !is_space(s.data[from - 1])) {
		from--;
	}
	return span_from(s, from);
}

/* The part of the sentence before this place, at most SENTENCE_MAX bytes. */
static struct span sentence_before(struct span s)
{
	size_t from = s.len;
	while (from && s.len - from < SENTENCE_MAX && s.data[from - 1] != '\n' &&
	        !(from > 1 && s.data[from - 1] == ' ' && strchr(".!?", s.data[from - 2]))) {
		from--;
	}
	return span_from(s, from);
}

/* Whether the sentence mentions a name or a numbered part: its number may then be a label. */
static bool names_something(struct span sentence, size_t *ret_words)
{
	static const char *const labels[] = {"version", "release", "section", "chapter"};
	struct span rest = sentence, word;
	bool names = false;
	for (*ret_words = 0; (word = sentence_next_word(&rest)).len; (*ret_words)++) {
		names |= (*ret_words && is_upper(*word.data)) ||
		         span_in(word, labels, ARRAY_LEN(labels));
	}
	return names;
}

static bool has_unit(struct span behind)
{
	struct span s = span_from(behind, span_starts(behind, " "));
	size_t n = 0;
	while (n < s.len && !is_space(s.data[n]) && !is_any(s.data[n], ".,;:!?\"')")) {
		n++;
	}
	return unit_of((struct span){s.data, n}) != NULL;
}

/* Whether the number is a measurement: it has a unit or a currency, or a sentence states it as a
 * value: "the sum is 3.50". In the latter case a final .10 stays, because most versions that end
 * in a zero end so. */
static bool is_measured(struct span number, struct span before, bool money, struct span behind)
{
	static const char *const verbs[] = {"is", "are", "was", "were", "costs"};
	struct span verb = word_before(before), sentence = sentence_before(before);
	size_t words;
	if (money || sentence.len >= SENTENCE_MAX || names_something(sentence, &words)) {
		return money;
	}
	bool version = number.len > 3 && span_is(span_from(number, number.len - 3), ".10");
	bool after_verb = span_in(verb, verbs, ARRAY_LEN(verbs)) && words > 2;
	return span_is(verb, "=") || (after_verb && !version) || has_unit(behind);
}

/* Returns the length of a number such as "1 000 000" at the beginning of the text: one to three
 * digits, then groups of three. Two groups are a number only if the second begins with 0,
 * because then it is no number of its own. Returns 0 if there is no such number. */
static size_t grouped_length(struct span s)
{
	size_t n = 0, groups = 0;
	bool zero = false;
	while (n < s.len && is_digit(s.data[n])) {
		n++;
	}
	if (n == 0 || n > 3 || *s.data == '0') {
		return 0;
	}
	for (; n + 4 <= s.len && s.data[n] == ' '; n += 4, groups++) {
		const char *p = s.data + n + 1;
		bool ends = n + 4 == s.len || !is_word(p[3]);
		if (!is_digit(p[0]) || !is_digit(p[1]) || !is_digit(p[2]) || !ends) {
			break;
		}
		zero |= *p == '0';
	}
	bool decimal =
	        n + 1 < s.len && (s.data[n] == '.' || s.data[n] == ',') && is_digit(s.data[n + 1]);
	return (zero || groups > 1) && !decimal ? n : 0;
}

/* Writes the word at `at` with the marks around it. Returns where the word ends. */
static size_t put_word(struct writer *w, size_t at)
{
	struct span s = w->text;
	size_t from = at, end = at;
	while (end < s.len && !is_space(s.data[end]) && s.data[end] != MARKUP_CODE) {
		end++;
	}
	while (from < end && (s.data[from] == '"' || s.data[from] == '\'')) {
		from++;
	}
	const struct unit *currency = unit_of_currency((struct span){s.data + from, end - from});
	from += currency ? strlen(currency->symbol) : 0;
	buf_append(w->to, s.data + at, from - at);
	size_t grouped = grouped_length(span_from(s, from));
	if (grouped) {
		for (size_t i = from; i < from + grouped; i++) {
			buf_append(w->to, s.data + i, is_digit(s.data[i]));
		}
		return from + grouped;
	}
	size_t close = end;
	while (close > from && is_any(s.data[close - 1], ".,;:!?\"'%")) {
		close--;
	}
	struct span core = {s.data + from, close - from};
	bool measured =
	        core.len && is_digit(core.data[core.len - 1]) && core.len < NUMBER_MAX &&
	        memchr(core.data, '.', core.len) &&
	        is_measured(core, (struct span){s.data, at}, currency != NULL, span_from(s, close));
	if (!number_spell(core, measured, w->to)) {
		buf_append_span(w->to, core);
	}
	buf_append(w->to, s.data + close, end - close);
	return end;
}

/* Drops the full stop at the end, but not after a single letter, whose point may belong to it. */
static void drop_full_stop(struct buf *to, size_t from)
{
	size_t n = to->len;
	if (n < from + 3 || to->data[n - 1] != '.') {
		return;
	}
	char last = to->data[n - 2];
	bool word = is_digit(last) || (is_letter(last) && is_word(to->data[n - 3]));
	to->len -= word || last == ')' || last == '%';
}

/* Whether the line feed at `at` separates two sentences. */
static bool parts_sentences(struct span s, size_t at)
{
	return s.data[at] == '\n' && at > 0 && at + 1 < s.len && is_any(s.data[at - 1], ".!?") &&
	       is_upper(s.data[at + 1]);
}

void format_structure(struct span marked, struct buf *to)
{
	struct writer w = {marked, to};
	size_t from = to->len;
	for (size_t i = 0; i < marked.len;) {
		if (is_space(marked.data[i])) {
			buf_append_char(to, parts_sentences(marked, i) ? ' ' : marked.data[i]);
			i++;
		} else if (marked.data[i] == MARKUP_CODE) {
			const char *close =
			        memchr(marked.data + i + 1, MARKUP_CODE, marked.len - i - 1);
			size_t end = close ? (size_t)(close - marked.data) + 1 : marked.len;
			buf_append(to, marked.data + i, end - i);
			i = end;
		} else {
			i = put_word(&w, i);
		}
	}
	drop_full_stop(to, from);
}
