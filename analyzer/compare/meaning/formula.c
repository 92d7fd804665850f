#include "analyzer/compare/meaning/formula.h"

#include <string.h>

#include "analyzer/compare/meaning/mark.h"
#include "base/ascii.h"
#include "base/json.h"

#define BOX_OPEN ((size_t)7) /* "\\boxed{" */

/* Whether two bytes open or close a formula, and do not belong to a command or to a row's end. */
static bool is_formula_mark(const char *two)
{
	return *two == '\\' && is_any(two[1], "()[]");
}

static bool has_formula_mark(struct span s)
{
	for (size_t i = 0; i < s.len; i++) {
		if (s.data[i] == '$' || (i + 1 < s.len && is_formula_mark(s.data + i))) {
			return true;
		}
		i += s.data[i] == '\\';
	}
	return false;
}

/* Whether s contains a digit, a command or a single letter. Words in \text{} are not
 * mathematics. */
static bool is_mathematics(struct span s)
{
	static const char *const words[] = {"text", "textbf", "mathrm", "mbox"};
	for (size_t i = 0; i < s.len; i++) {
		bool command = s.data[i] == '\\';
		size_t n = i + command;
		while (n < s.len && is_latin(s.data[n])) {
			n++;
		}
		struct span word = {s.data + i + command, n - i - command};
		if (is_digit(s.data[i]) || (!command && word.len == 1) ||
		        (command && word.len && !span_in(word, words, ARRAY_LEN(words)))) {
			return true;
		}
		i = MAX(n, i + 1) - 1;
	}
	return false;
}

static bool has_controls(struct span s)
{
	for (size_t i = 0; i < s.len; i++) {
		if ((unsigned char)s.data[i] < ' ' && !is_space(s.data[i])) {
			return true;
		}
	}
	return false;
}

/* Whether s contains adjacent letters that are not a command. */
static bool has_words(struct span s)
{
	for (size_t i = 0; i + 1 < s.len; i++) {
		if (s.data[i] == '\\') {
			while (i + 1 < s.len && is_latin(s.data[i + 1])) {
				i++;
			}
		} else if (is_latin(s.data[i]) && is_latin(s.data[i + 1])) {
			return true;
		}
	}
	return false;
}

static bool is_formula(struct span s)
{
	return s.len <= FORMULA_MAX && !has_controls(s) && !has_formula_mark(s) &&
	       is_mathematics(s);
}

/* Takes the formula from a text that is nothing else: "$x^2$.", or "x^2" without any words. *ret
 * is without the marks around it. */
static bool take_formula(struct span s, struct span *ret)
{
	static const char *const marks[][2] = {
	        {"$$", "$$"}, {"\\[", "\\]"}, {"\\(", "\\)"}, {"$", "$"}};
	s = span_trim(s);
	(void)mark_strip_end(&s, ".");
	bool marked = false;
	for (size_t i = 0; i < ARRAY_LEN(marks) && !marked; i++) {
		struct span inside = span_from(s, MIN(strlen(marks[i][0]), s.len));
		marked = span_starts(s, marks[i][0]) && mark_strip_end(&inside, marks[i][1]);
		s = marked ? span_trim(inside) : s;
	}
	(void)mark_strip_end(&s, ".");
	*ret = s;
	return is_formula(s) && (marked || !has_words(s));
}

/* Appends a text without the asterisks that mark bold text. Within a formula asterisks stay:
 * they multiply. */
static void put_without_bold(struct span s, struct buf *to)
{
	bool inside = false;
	while (s.len) {
		bool two = s.len > 1 && is_formula_mark(s.data);
		bool bold = !inside && span_starts(s, "**");
		inside = two ? is_any(s.data[1], "([") : inside != (*s.data == '$');
		size_t n = two || bold || (*s.data == '\\' && s.len > 1) ? 2 : 1;
		if (!bold) {
			buf_append(to, s.data, n);
		}
		s = span_from(s, n);
	}
}

/* Reads the box, whatever else is marked as the answer. Returns false if there is no box. */
static bool read_box(struct forms *f, struct formula *ret)
{
	struct span piece = {0};
	bool others = false;
	struct span box = mark_find_box(f, &piece, &others);
	if (box.len == 0) {
		return false;
	}
	const char *close = box.data + box.len, *end = f->text.data + f->text.len;
	struct span inside = span_from(box, MIN(box.len, BOX_OPEN));
	bool closed = mark_strip_end(&inside, "}");
	ret->before = mark_before_box(f, piece, box);
	ret->after = mark_trim(mark_skip_delimiters(span_between(close, end)));
	ret->latex = span_trim(inside);
	ret->found = closed && !others && is_formula(ret->latex);
	return true;
}

bool formula_read(struct forms *f, struct span answer, struct formula *ret)
{
	struct mark m;
	*ret = (struct formula){0};
	buf_clear(&f->unicode);
	buf_clear(&f->pieces);
	buf_reserve(&f->unicode, 1); /* to give it an address */
	format_unicode(answer, &f->unicode);
	f->text = buf_span(&f->unicode);
	markup_pieces(f->text, &f->pieces);
	if (read_box(f, ret)) {
		return ret->found;
	}
	buf_clear(&f->talk);
	put_without_bold(f->text, &f->talk);
	struct span text = span_trim(buf_span(&f->talk));
	bool marked = mark_find(text, &m);
	ret->found = take_formula(marked ? m.value : text, &ret->latex);
	if (marked) {
		ret->before = m.before;
		ret->after = m.after;
	}
	return ret->found;
}

bool formula_gold_read(struct span gold, struct buf *to)
{
	struct json j;
	gold = span_trim(gold);
	if (gold.len == 0 || *gold.data != '{') {
		return false;
	}
	json_begin(&j, gold);
	struct json_token key = json_next(&j);
	bool named = key.type == JSON_TOKEN_KEY && json_token_is_key(&key, "math");
	struct json_token value = json_next(&j);
	if (!named || value.type != JSON_TOKEN_STRING ||
	        json_next(&j).type != JSON_TOKEN_OBJECT_END ||
	        json_next(&j).type != JSON_TOKEN_END) {
		return false;
	}
	json_token_unescape(&value, to);
	return to->len > 0 && to->len <= FORMULA_MAX && !has_controls(buf_span(to));
}
