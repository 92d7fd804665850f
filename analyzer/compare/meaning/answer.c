#include "analyzer/compare/meaning/answer.h"

#include <string.h>

#include "analyzer/compare/meaning/mark.h"
#include "analyzer/compare/meaning/sentence.h"
#include "base/ascii.h"

/* Writes the formula as words into f->form. */
static struct span plain_of(struct forms *f, struct span formula)
{
	struct buf text = {0}, pieces = {0};
	buf_append_str(&text, "\\(");
	mark_put_bare(formula, &text);
	buf_append_str(&text, "\\)");
	markup_pieces(buf_span(&text), &pieces);
	buf_clear(&f->form);
	markup_plain(buf_span(&text), &pieces, false, &f->form);
	buf_finish(&text);
	buf_finish(&pieces);
	return buf_span(&f->form);
}

/* Reads a \boxed{} value with the unit after it, or without one. Returns false if there is no
 * box. */
static bool read_boxed(struct forms *f, enum question q, struct answer *ret)
{
	struct span piece = {0};
	bool others = false;
	struct span box = mark_find_box(f, &piece, &others);
	if (box.len == 0) {
		return false;
	}
	const char *end = f->text.data + f->text.len, *close = box.data + box.len;
	size_t at = (size_t)(close - piece.data), stop = mark_sentence_end(piece, at);
	struct span tail = {close, MIN(stop - at, (size_t)MARK_VALUE_MAX)};
	value_read(plain_of(f, span_between(box.data, tail.data + tail.len)), q, &ret->value);
	bool unit = ret->value.kind == VALUE_NUMBER;
	if (!unit) {
		value_read(plain_of(f, box), q, &ret->value);
	}
	bool stated = !others && ret->value.kind != VALUE_NONE && box.len <= MARK_VALUE_MAX;
	ret->mark = stated ? ANSWER_MARKED : ANSWER_NONE;
	ret->before = mark_before_box(f, piece, box);
	ret->after = mark_trim(
	        mark_skip_delimiters(span_between(unit ? tail.data + tail.len : close, end)));
	return true;
}

static void read_marked(struct span s, enum question q, struct answer *ret)
{
	struct mark m;
	if (!mark_find(s, &m)) {
		return;
	}
	value_read(m.value, q, &ret->value);
	ret->mark = ret->value.kind == VALUE_NONE ? ANSWER_NONE : ANSWER_MARKED;
	ret->before = m.before;
	ret->after = m.after;
}

static void read_bare(struct span s, enum question q, struct answer *ret)
{
	s = span_trim(s);
	if (s.len == 0 || s.len > MARK_VALUE_MAX || memchr(s.data, '\n', s.len)) {
		return;
	}
	value_read(s, q, &ret->value);
	ret->mark = ANSWER_BARE;
}

void answer_read(struct forms *f, struct span words, enum question q, struct answer *ret)
{
	*ret = (struct answer){.mark = ANSWER_NONE};
	if (read_boxed(f, q, ret)) {
		return;
	}
	read_marked(words, q, ret);
	if (ret->mark == ANSWER_NONE) {
		read_bare(words, q, ret);
	}
}

/* Removes the expression before a "=", such as "3 + 4", "f(2)" or "x". */
static struct span without_sum(struct span s)
{
	static const char *const signs[] = {"\\times", "\\cdot", "\\div", "×", "·", "÷"};
	bool more = true;
	while (more) {
		more = s.len && (is_space(s.data[s.len - 1]) || is_digit(s.data[s.len - 1]) ||
		                        is_any(s.data[s.len - 1], "+-*/().,%$"));
		s.len -= more;
		for (size_t i = 0; i < ARRAY_LEN(signs); i++) {
			more |= mark_strip_end(&s, signs[i]);
		}
	}
	bool variable =
	        s.len && is_latin(s.data[s.len - 1]) && (s.len == 1 || is_space(s.data[s.len - 2]));
	s.len -= variable;
	return s;
}

/* Whether s is English words without a negation, perhaps followed by a calculation: "So she has
 * 3 + 4 =". */
static bool is_plain(struct span s)
{
	while (mark_strip_end(&s, "=")) {
		s = without_sum(s);
	}
	for (size_t i = 0; i < s.len; i++) {
		char c = s.data[i];
		bool joins = (c == '-' || c == '\'') && i && i + 1 < s.len &&
		             is_latin(s.data[i - 1]) && is_latin(s.data[i + 1]);
		if (!is_latin(c) && !is_space(c) && !is_any(c, ",;:") && !joins) {
			return false;
		}
	}
	struct span rest = s, word;
	while ((word = sentence_next_word(&rest)).len) {
		if (sentence_is_negation(word) || span_is_nocase(word, "answer")) {
			return false;
		}
	}
	return true;
}

static bool names_unit(struct span s)
{
	struct span word;
	while ((word = sentence_next_word(&s)).len) {
		if (unit_of(word)) {
			return true;
		}
	}
	return false;
}

static bool is_stated_plainly(const struct answer *a)
{
	return a->mark != ANSWER_NONE && a->after.len == 0 && is_plain(a->before);
}

enum agreement answer_compare(const struct answer *a, const struct answer *b, enum question q)
{
	if (a->mark == ANSWER_NONE || b->mark == ANSWER_NONE) {
		return AGREE_UNDECIDED;
	}
	enum agreement values = value_agreement(&a->value, &b->value, q);
	if (span_equal(a->before, b->before) && span_equal(a->after, b->after)) {
		return values;
	}
	/* Different values are different answers, whatever words introduce them. */
	bool two = values == AGREE_CHANGED && is_stated_plainly(a) && is_stated_plainly(b) &&
	           !names_unit(a->before) && !names_unit(b->before);
	return two ? AGREE_CHANGED : AGREE_UNDECIDED;
}

enum agreement answer_compare_right(
        const struct answer *a, const struct answer *right, enum question q)
{
	if (!is_stated_plainly(a) || !is_stated_plainly(right)) {
		return AGREE_UNDECIDED;
	}
	struct value value = a->value;
	if (value_has_option_words(&value) && right->value.option.len == 0) {
		value.option.len = 0;
	}
	return value_agreement(&value, &right->value, q);
}

/* Reads a sentence that begins with yes or no. *ret_rest: the rest of the sentence. */
static bool read_yes(struct span s, bool *ret_yes, struct span *ret_rest)
{
	size_t n = 0;
	while (n < s.len && is_latin(s.data[n])) {
		n++;
	}
	if (!value_is_boolean((struct span){s.data, n}, ret_yes)) {
		return false;
	}
	bool ends = mark_sentence_end(s, n) < s.len;
	while (n < s.len && !is_word(s.data[n])) {
		n++;
	}
	*ret_rest = span_from(s, n);
	return !ends && s.data[s.len - 1] != '?';
}

/* Whether the rest leaves the yes or no standing: it has no second yes or no, and no negation
 * after a yes. */
static bool supports(struct span rest, bool yes)
{
	struct span word;
	bool other;
	while ((word = sentence_next_word(&rest)).len) {
		if (value_is_boolean(word, &other) || (yes && sentence_is_negation(word))) {
			return false;
		}
	}
	return true;
}

enum agreement answer_compare_yes(struct span a, struct span b)
{
	bool yes_a, yes_b;
	struct span x, y;
	bool changed = read_yes(span_trim(a), &yes_a, &x) && read_yes(span_trim(b), &yes_b, &y) &&
	               yes_a != yes_b && supports(x, yes_a) && supports(y, yes_b) &&
	               !(x.len && span_equal_nocase(x, y));
	return changed ? AGREE_CHANGED : AGREE_UNDECIDED;
}
