#include "analyzer/compare/meaning/mark.h"

#include <string.h>

#include "analyzer/compare/meaning/format_markup_math.h"
#include "base/ascii.h"

size_t mark_sentence_end(struct span s, size_t at)
{
	for (; at < s.len && s.data[at] != '\n'; at++) {
		bool last = at + 1 == s.len || is_space(s.data[at + 1]);
		if (last && is_any(s.data[at], ".!?")) {
			return at + 1;
		}
	}
	return at;
}

/* The beginning of the sentence or line that contains `at`. */
static size_t sentence_begin(struct span s, size_t at)
{
	while (at && s.data[at - 1] != '\n' &&
	        !(at > 1 && is_space(s.data[at - 1]) && is_any(s.data[at - 2], ".!?"))) {
		at--;
	}
	return at;
}

struct span mark_trim(struct span s)
{
	s = span_trim(s);
	return s.len == 1 && *s.data == '.' ? (struct span){s.data, 0} : s;
}

bool mark_strip_end(struct span *s, const char *end)
{
	struct span what = span_of(end);
	if (s->len < what.len || !span_equal_nocase(span_from(*s, s->len - what.len), what)) {
		return false;
	}
	s->len -= what.len;
	return true;
}

/* A text without the words of a mark at its end ("The final answer is:"). "X's answer is" is not a
 * mark. */
static struct span strip_mark(struct span lead)
{
	static const char *const which[] = {"final ", "correct "};
	struct span s = span_trim(lead), whole = s;
	(void)mark_strip_end(&s, ":");
	(void)mark_strip_end(&s, " is");
	if (!mark_strip_end(&s, "answer")) {
		return whole;
	}
	for (size_t i = 0; i < ARRAY_LEN(which); i++) {
		(void)mark_strip_end(&s, which[i]);
	}
	bool the = mark_strip_end(&s, "the ") && (s.len == 0 || is_space(s.data[s.len - 1]));
	s = span_trim(s);
	return the || s.len == 0 || is_any(s.data[s.len - 1], ",:;") ? s : whole;
}

/* Returns the length of the mark at `at`, including what comes between the mark and the value; 0
 * if there is none. */
static size_t mark_length(struct span s, size_t at)
{
	static const char *const verbs[] = {" is:", " is", ":"};
	struct span rest = span_from(s, at);
	if (at && is_word(s.data[at - 1])) {
		return 0;
	}
	if (span_starts(rest, "#### ") && (at == 0 || s.data[at - 1] == '\n')) {
		return 5;
	}
	if (!span_starts_nocase(rest, "answer")) {
		return 0;
	}
	struct span behind = span_from(rest, 6);
	for (size_t i = 0; i < ARRAY_LEN(verbs); i++) {
		size_t n = 6 + span_of(verbs[i]).len;
		if (span_starts(behind, verbs[i]) && n < rest.len && is_space(rest.data[n])) {
			return n;
		}
	}
	/* A heading such as "Final Answer" with the answer below it. */
	size_t begin = sentence_begin(s, at);
	struct span line = {s.data + begin, at + 6 - begin};
	return span_starts(behind, "\n") && strip_mark(line).len == 0 ? 6 : 0;
}

/* Finds the last mark in words and its value. Returns false if there is none, or if two marks
 * give different values. */
static bool find_last(struct span s, size_t *ret_at, struct span *ret_value)
{
	static const char begins[] = "#aA";
	struct span value = {0};
	bool found = false;
	const char *end = s.data + s.len, *p = find_any(s.data, end, begins);
	for (; p < end; p = find_any(p + 1, end, begins)) {
		size_t at = (size_t)(p - s.data), n = mark_length(s, at);
		if (n == 0) {
			continue;
		}
		size_t from = at + n;
		while (from < s.len && is_space(s.data[from])) {
			from++;
		}
		/* Keeps one byte more than the limit, so that a value that is too long can be
		 * recognised. */
		struct span here = {s.data + from, MIN(s.len - from, (size_t)MARK_VALUE_MAX + 1)};
		here.len = mark_sentence_end(here, 0);
		if (found && !span_equal(here, value)) {
			return false;
		}
		found = true;
		value = here;
		*ret_at = at;
	}
	*ret_value = value;
	return found && value.len > 0 && value.len <= MARK_VALUE_MAX;
}

bool mark_find(struct span s, struct mark *ret)
{
	size_t at = 0;
	*ret = (struct mark){0};
	if (!find_last(s, &at, &ret->value)) {
		return false;
	}
	size_t word = at + (s.data[at] == '#' ? 0 : 6), begin = sentence_begin(s, at);
	ret->before = strip_mark((struct span){s.data + begin, word - begin});
	ret->after = mark_trim(span_between(ret->value.data + ret->value.len, s.data + s.len));
	return true;
}

struct span mark_find_box(const struct forms *f, struct span *ret_piece, bool *ret_others)
{
	struct span last = {0};
	for (size_t i = 0; i < markup_count(&f->pieces); i++) {
		const struct markup_piece *p = markup_piece(&f->pieces, i);
		const char *at = p->all.data, *end = at + p->all.len;
		while (p->kind == MARKUP_PIECE_PROSE &&
		        (at = memmem(at, (size_t)(end - at), "\\boxed{", 7))) {
			const char *close = math_brace(at + 7, end);
			struct span box = span_between(at, close ? close + 1 : at + 7);
			*ret_others |= last.len && !span_equal(box, last);
			last = box;
			*ret_piece = p->all;
			at += box.len;
		}
	}
	return last;
}

/* Returns the length of the mark at s that opens or closes a formula or an emphasis; 0 if there
 * is none. */
static size_t markup_length(struct span s)
{
	static const char *const marks[] = {
	        "\\(", "\\)", "\\[", "\\]", "\\,", "\\displaystyle", "$", "*", "&"};
	for (size_t i = 0; i < ARRAY_LEN(marks); i++) {
		if (span_starts(s, marks[i])) {
			return strlen(marks[i]);
		}
	}
	return 0;
}

void mark_put_bare(struct span s, struct buf *to)
{
	while (s.len) {
		size_t n = markup_length(s);
		if (n == 0 && is_space(*s.data)) {
			buf_append_str(to, to->len && to->data[to->len - 1] == ' ' ? "" : " ");
		} else if (n == 0) {
			buf_append_char(to, *s.data);
		}
		s = span_from(s, MAX(n, (size_t)1));
	}
}

struct span mark_before_box(struct forms *f, struct span piece, struct span box)
{
	size_t at = (size_t)(box.data - piece.data);
	buf_clear(&f->talk);
	for (int lines = 0; lines < 2; lines++) {
		size_t begin = sentence_begin(piece, at);
		mark_put_bare(
		        (struct span){piece.data + begin, (size_t)(box.data - piece.data) - begin},
		        &f->talk);
		struct span lead = span_trim(buf_span(&f->talk));
		if (lead.len && (lines == 0 || is_any(lead.data[lead.len - 1], ":,="))) {
			return strip_mark(lead);
		}
		buf_clear(&f->talk);
		at = begin;
		while (at &&
		        (is_space(piece.data[at - 1]) || is_any(piece.data[at - 1], "$*[\\"))) {
			at--;
		}
	}
	return (struct span){"", 0};
}

struct span mark_skip_delimiters(struct span s)
{
	size_t n;
	while (s.len && ((n = markup_length(s)) || is_space(*s.data))) {
		s = span_from(s, MAX(n, (size_t)1));
	}
	return s;
}
