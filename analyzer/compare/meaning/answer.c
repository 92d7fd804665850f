#include "analyzer/compare/meaning/answer.h"

#include <string.h>

#include "analyzer/compare/meaning/format_markup_math.h"
#include "analyzer/compare/meaning/sentence.h"
#include "base/letters.h"

#define VALUE_MAX 160 /* bytes of an answer that is read */

/* Where the sentence or line ends that begins at `at`, its full stop included. */
static size_t sentence_end(struct span s, size_t at)
{
	for (; at < s.len && s.data[at] != '\n'; at++) {
		bool last = at + 1 == s.len || is_space(s.data[at + 1]);
		if (last && is_any(s.data[at], ".!?")) {
			return at + 1;
		}
	}
	return at;
}

/* Where the sentence or line begins that `at` lies in. */
static size_t sentence_begin(struct span s, size_t at)
{
	while (at && s.data[at - 1] != '\n' &&
	        !(at > 1 && is_space(s.data[at - 1]) && is_any(s.data[at - 2], ".!?"))) {
		at--;
	}
	return at;
}

/* A text behind an answer that says nothing. */
static struct span trim_end(struct span s)
{
	s = span_trim(s);
	return s.len == 1 && *s.data == '.' ? (struct span){s.data, 0} : s;
}

static bool take_end(struct span *s, const char *end)
{
	struct span what = span_of(end);
	if (s->len < what.len || !span_equal_nocase(span_from(*s, s->len - what.len), what)) {
		return false;
	}
	s->len -= what.len;
	return true;
}

/* Without the words of a mark at its end: "The final answer is:". Somebody's answer is no mark. */
static struct span without_mark(struct span lead)
{
	static const char *const which[] = {"final ", "correct "};
	struct span s = span_trim(lead), whole = s;
	(void)take_end(&s, ":");
	(void)take_end(&s, " is");
	if (!take_end(&s, "answer")) {
		return whole;
	}
	for (size_t i = 0; i < ARRAY_LEN(which); i++) {
		(void)take_end(&s, which[i]);
	}
	bool the = take_end(&s, "the ") && (s.len == 0 || is_space(s.data[s.len - 1]));
	s = span_trim(s);
	return the || s.len == 0 || is_any(s.data[s.len - 1], ",:;") ? s : whole;
}

/* The mark that ends behind `at`, through what leads to the value; 0: there is none. */
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
	/* A heading: "Final Answer", and the answer below it. */
	size_t begin = sentence_begin(s, at);
	struct span line = {s.data + begin, at + 6 - begin};
	return span_starts(behind, "\n") && without_mark(line).len == 0 ? 6 : 0;
}

/* The last mark of the words. False: there is none, or another one has another value. */
static bool find_mark(struct span s, size_t *ret_at, struct span *ret_said)
{
	static const char begins[] = "#aA";
	struct span said = {0};
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
		/* One byte more than is read shows that it is too long. */
		struct span here = {s.data + from, MIN(s.len - from, (size_t)VALUE_MAX + 1)};
		here.len = sentence_end(here, 0);
		if (found && !span_equal(here, said)) {
			return false;
		}
		found = true;
		said = here;
		*ret_at = at;
	}
	*ret_said = said;
	return found && said.len > 0 && said.len <= VALUE_MAX;
}

/* The next \boxed{; NULL: there is none. */
static const char *next_box(const char *at, const char *end)
{
	return memmem(at, (size_t)(end - at), "\\boxed{", 7);
}

/* The last box of the prose, its marks included, and the piece that it lies in. Empty: there is
 * none. *ret_others: another one has another content. */
static struct span find_box(const struct forms *f, struct span *ret_piece, bool *ret_others)
{
	struct span last = {0};
	for (size_t i = 0; i < markup_count(&f->pieces); i++) {
		const struct piece *p = markup_piece(&f->pieces, i);
		const char *at = p->all.data, *end = at + p->all.len;
		while (p->kind == PIECE_PROSE && (at = next_box(at, end))) {
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

/* What opens or closes a formula or an emphasis, at s; 0: nothing does. */
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

/* Appends a text without these, and with runs of white space as one blank. */
static void put_bare(struct span s, struct buf *to)
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

/* What stands before the box in its sentence; on a line of its own, the line before it if that
 * leads to it with a colon or a comma. Into f->talk. */
static struct span before_box(struct forms *f, struct span piece, struct span box)
{
	size_t at = (size_t)(box.data - piece.data);
	buf_clear(&f->talk);
	for (int lines = 0; lines < 2; lines++) {
		size_t begin = sentence_begin(piece, at);
		put_bare((struct span){piece.data + begin, (size_t)(box.data - piece.data) - begin},
		        &f->talk);
		struct span lead = span_trim(buf_span(&f->talk));
		if (lead.len && (lines == 0 || is_any(lead.data[lead.len - 1], ":,="))) {
			return without_mark(lead);
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

/* A formula as words; into f->form. */
static struct span plain_of(struct forms *f, struct span formula)
{
	struct buf text = {0}, pieces = {0};
	buf_append_str(&text, "\\(");
	put_bare(formula, &text);
	buf_append_str(&text, "\\)");
	markup_pieces(buf_span(&text), &pieces);
	buf_clear(&f->form);
	markup_plain(buf_span(&text), &pieces, false, &f->form);
	buf_finish(&text);
	buf_finish(&pieces);
	return buf_span(&f->form);
}

/* Without what closes the formula or the emphasis around the box. */
static struct span skip_closers(struct span s)
{
	size_t n;
	while (s.len && ((n = markup_length(s)) || is_space(*s.data))) {
		s = span_from(s, MAX(n, (size_t)1));
	}
	return s;
}

/* The box with a unit behind it, or the box alone. False: there is no box. */
static bool read_boxed(struct forms *f, enum question q, struct answer *ret)
{
	struct span piece = {0};
	bool others = false;
	struct span box = find_box(f, &piece, &others);
	if (box.len == 0) {
		return false;
	}
	const char *end = f->text.data + f->text.len, *close = box.data + box.len;
	size_t at = (size_t)(close - piece.data), stop = sentence_end(piece, at);
	struct span tail = {close, MIN(stop - at, (size_t)VALUE_MAX)};
	value_read(plain_of(f, span_between(box.data, tail.data + tail.len)), q, &ret->value);
	bool unit = ret->value.kind == VALUE_NUMBER;
	if (!unit) {
		value_read(plain_of(f, box), q, &ret->value);
	}
	bool stated = !others && ret->value.kind != VALUE_NONE && box.len <= VALUE_MAX;
	ret->mark = stated ? ANSWER_MARKED : ANSWER_NONE;
	ret->before = before_box(f, piece, box);
	ret->after = trim_end(skip_closers(span_between(unit ? tail.data + tail.len : close, end)));
	return true;
}

static void read_marked(struct span s, enum question q, struct answer *ret)
{
	size_t at = 0;
	struct span said;
	if (!find_mark(s, &at, &said)) {
		return;
	}
	size_t mark = at + (s.data[at] == '#' ? 0 : 6), begin = sentence_begin(s, at);
	value_read(said, q, &ret->value);
	ret->mark = ret->value.kind == VALUE_NONE ? ANSWER_NONE : ANSWER_MARKED;
	ret->before = without_mark((struct span){s.data + begin, mark - begin});
	ret->after = trim_end(span_between(said.data + said.len, s.data + s.len));
}

static void read_bare(struct span s, enum question q, struct answer *ret)
{
	s = span_trim(s);
	if (s.len == 0 || s.len > VALUE_MAX || memchr(s.data, '\n', s.len)) {
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

/* What stands before a "=" that is worked out: "3 + 4", "f(2)", "x". */
static struct span without_sum(struct span s)
{
	static const char *const signs[] = {"\\times", "\\cdot", "\\div", "×", "·", "÷"};
	bool more = true;
	while (more) {
		more = s.len && (is_space(s.data[s.len - 1]) || is_digit(s.data[s.len - 1]) ||
		                        is_any(s.data[s.len - 1], "+-*/().,%$"));
		s.len -= more;
		for (size_t i = 0; i < ARRAY_LEN(signs); i++) {
			more |= take_end(&s, signs[i]);
		}
	}
	bool variable =
	        s.len && is_latin(s.data[s.len - 1]) && (s.len == 1 || is_space(s.data[s.len - 2]));
	s.len -= variable;
	return s;
}

/* English words that deny nothing, and sums behind them: "So she has 3 + 4 =". */
static bool is_plain(struct span s)
{
	while (take_end(&s, "=")) {
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
	/* Values that differ are two answers, whatever words lead to them. */
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
	if (value_has_title(&value) && right->value.option.len == 0) {
		value.option.len = 0;
	}
	return value_agreement(&value, &right->value, q);
}

/* A sentence that begins with yes or no: *ret_rest is what it says with it. */
static bool read_yes(struct span s, bool *ret_yes, struct span *ret_rest)
{
	size_t n = 0;
	while (n < s.len && is_latin(s.data[n])) {
		n++;
	}
	if (!value_is_boolean((struct span){s.data, n}, ret_yes)) {
		return false;
	}
	bool ends = sentence_end(s, n) < s.len;
	while (n < s.len && !is_word(s.data[n])) {
		n++;
	}
	*ret_rest = span_from(s, n);
	return !ends && s.data[s.len - 1] != '?';
}

/* The rest takes nothing back: there is no other yes or no in it, and no negation behind a yes. */
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
