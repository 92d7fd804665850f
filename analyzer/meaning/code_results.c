#include "analyzer/meaning/code_results.h"

#include <string.h>

#include "base/letters.h"

#define LEAD_WORDS 4 /* "this should print abc", "the expected output is:" */

static const char *const verbs[] = {"display", "displays", "gives", "log", "logs", "output",
        "outputs", "print", "prints", "return", "returns", "shows", "yields"};
static const char *const nouns[] = {
        "expected", "output", "outputs", "printed", "prints", "result", "results"};

static struct span without_marks(struct span s)
{
	bool dashes = span_starts(s, "--");
	s = span_from(s, dashes ? 2 : 0);
	while (s.len && !dashes && strchr("#/*!", *s.data) && *s.data) {
		s = span_from(s, 1);
	}
	if (s.len > 1 && s.data[s.len - 1] == '/' && s.data[s.len - 2] == '*') {
		s.len -= 2;
	}
	return span_trim(s);
}

/* At most `most` + 1 of them. */
static size_t words_in(struct span s, size_t most, struct span *ret)
{
	size_t n = 0;
	for (size_t i = 0; i < s.len && n <= most; n++) {
		size_t from = i;
		while (i < s.len && !is_blank(s.data[i])) {
			i++;
		}
		ret[n] = (struct span){s.data + from, i - from};
		while (i < s.len && is_blank(s.data[i])) {
			i++;
		}
	}
	return n;
}

static size_t arrow_length(struct span s)
{
	static const char *const arrows[] = {"->", "=>", "→", "⇒", "➜"};
	for (size_t i = 0; i < ARRAY_LEN(arrows); i++) {
		if (span_starts(s, arrows[i])) {
			return strlen(arrows[i]);
		}
	}
	return 0;
}

/* Behind an arrow that it begins with, or that follows a call: "f(2) -> abc". */
static bool behind_arrow(struct span text, struct span *ret)
{
	size_t n = arrow_length(text);
	const char *call = text.len ? memchr(text.data, ')', text.len) : NULL;
	struct span rest = n ? span_from(text, n) : text;
	if (!n && call) {
		rest = span_trim(span_between(call + 1, text.data + text.len));
		n = arrow_length(rest);
		rest = span_from(rest, n);
	}
	*ret = span_trim(rest);
	return n > 0;
}

/* "Expected output:" */
static bool behind_colon(struct span text, struct span *ret)
{
	struct span words[LEAD_WORDS + 1];
	const char *colon = text.len ? memchr(text.data, ':', text.len) : NULL;
	if (!colon) {
		return false;
	}
	size_t n = words_in(span_between(text.data, colon), LEAD_WORDS, words);
	*ret = span_trim(span_between(colon + 1, text.data + text.len));
	return n && n <= LEAD_WORDS && span_in(words[n - 1], nouns, ARRAY_LEN(nouns));
}

/* "Prints abc": more words would explain. */
static bool behind_verb(struct span text, struct span *ret)
{
	struct span words[LEAD_WORDS + 1];
	size_t n = words_in(text, LEAD_WORDS, words);
	*ret = n ? words[n - 1] : text;
	return n > 1 && n <= LEAD_WORDS && span_in(words[n - 2], verbs, ARRAY_LEN(verbs));
}

/* A statement stands before it on its line. */
static bool is_behind(struct span code, struct span comment)
{
	const char *p = comment.data;
	while (p > code.data && (is_blank(p[-1]) || p[-1] == ';')) {
		p--;
	}
	return p > code.data && p[-1] && !strchr("\n:{}([,", p[-1]);
}

/* Nothing comes behind it that it could explain. */
static bool is_last(struct span code, struct span comment)
{
	const char *p = comment.data + comment.len, *end = code.data + code.len;
	while (p < end && is_space(*p)) {
		p++;
	}
	return p == end;
}

/* A single word. */
static bool is_lone(struct span text)
{
	bool word = false;
	for (size_t i = 0; i < text.len; i++) {
		if (is_space(text.data[i])) {
			return false;
		}
		word |= is_word(text.data[i]);
	}
	return word && text.data[text.len - 1] != ':';
}

/* Nothing leads to it, but it stands where results do. */
static bool may_be_value(struct span text, struct span code, struct span comment)
{
	struct span words[LEAD_WORDS + 1];
	if (is_behind(code, comment)) {
		return is_lone(text);
	}
	size_t n = is_last(code, comment) ? words_in(text, LEAD_WORDS, words) : 0;
	return n && n <= LEAD_WORDS && text.data[text.len - 1] != ':';
}

/* The comment begins the line below the last one. */
static bool is_below(const struct code_results *r, struct span comment)
{
	size_t feeds = 0;
	for (const char *p = r->end; p && p < comment.data; p++) {
		if (!is_space(*p)) {
			return false;
		}
		feeds += *p == '\n';
	}
	return feeds == 1;
}

/* Without quotation marks around it, but for those that make a text of a number, and a point behind it. */
static struct span bare(struct span s)
{
	bool text = s.len > 1 && !is_digit(s.data[1]) && s.data[1] != '-';
	if (text && strchr("\"'`", *s.data) && s.data[s.len - 1] == *s.data) {
		s = (struct span){s.data + 1, s.len - 2};
	}
	s.len -= s.len > 1 && s.data[s.len - 1] == '.';
	return s;
}

bool code_results_next(
        struct code_results *r, struct span code, struct span comment, struct span *ret)
{
	struct span text = without_marks(comment), value = {0};
	bool goes_on = r->told && text.len && is_below(r, comment);
	bool led = !goes_on && (behind_arrow(text, &value) || behind_colon(text, &value));
	r->told = goes_on || (led && value.len == 0);
	r->end = comment.data + comment.len;
	if (goes_on) {
		value = text;
	} else if (!led && !behind_verb(text, &value)) {
		value = text;
		if (!may_be_value(text, code, comment)) {
			return false;
		}
	}
	*ret = bare(value);
	return value.len && !memchr(value.data, '\n', value.len);
}

void code_results_put(struct buf *to, size_t place, struct span result)
{
	buf_append_number(to, place);
	buf_append_char(to, ' ');
	buf_append_span(to, result);
	buf_append_char(to, '\n');
}

static size_t place_of(struct span list)
{
	size_t place = 0;
	for (size_t i = 0; i < list.len && is_digit(list.data[i]); i++) {
		place = 10 * place + (size_t)(list.data[i] - '0');
	}
	return place;
}

/* The results of its first place; *list goes on behind them then. */
static struct span take_place(struct span *list)
{
	struct span rest = *list;
	size_t place = place_of(rest);
	while (rest.len && place_of(rest) == place) {
		const char *feed = memchr(rest.data, '\n', rest.len);
		rest = span_from(rest, (size_t)(feed - rest.data) + 1);
	}
	struct span taken = span_between(list->data, rest.data);
	*list = rest;
	return taken;
}

bool code_results_agree(struct span a, struct span b)
{
	while (a.len && b.len) {
		size_t i = place_of(a), k = place_of(b);
		struct span x = i <= k ? take_place(&a) : (struct span){0};
		struct span y = k <= i ? take_place(&b) : (struct span){0};
		if (i == k && !span_equal(x, y)) {
			return false;
		}
	}
	return true;
}
