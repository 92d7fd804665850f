#include "analyzer/compare/meaning/extract_boxed.h"

#include <string.h>

#include "analyzer/compare/meaning/attribute.h"
#include "analyzer/compare/meaning/doubt.h"
#include "analyzer/compare/meaning/left_side.h"
#include "analyzer/compare/meaning/markup_math.h"
#include "analyzer/compare/meaning/sentence.h"
#include "base/letters.h"

#define TAIL_MAX 160

/* What stands between the text before the box and the box. */
struct lead {
	const char *from, *at; /* what is left of it */
	bool apart;            /* not at once before the box */
};

static bool ends_in(const struct lead *l, const char *what)
{
	size_t n = strlen(what);
	return (size_t)(l->at - l->from) >= n && memcmp(l->at - n, what, n) == 0;
}

/* Blanks, and what opens a formula or an emphasis. */
static void strip(struct lead *l)
{
	static const char *const openers[] = {"\\(", "\\[", "\\,", "\\;", "\\:", "\\!", "\\quad",
	        "\\qquad", "\\displaystyle", "$", "&", " ", "\t", "{", "("};
	for (size_t i = 0; i < ARRAY_LEN(openers); i++) {
		if (ends_in(l, openers[i])) {
			l->at -= strlen(openers[i]);
			l->apart |= *openers[i] != '{' && *openers[i] != '(';
			i = (size_t)-1;
		} else if (i + 1 == ARRAY_LEN(openers) && ends_in(l, "*") && !is_blank(*l->at)) {
			l->at--; /* emphasis: a product has a factor before it */
			i = (size_t)-1;
		}
	}
}

static const char *back_over(const char *from, const char *at, const char *what)
{
	while (at > from && at[-1] && strchr(what, at[-1])) {
		at--;
	}
	return at;
}

/* The clause that leads to the box, with what closes it left out: "is not:" */
static bool clause_doubts(const struct lead *l, bool line)
{
	const char *at = back_over(l->from, l->at, ",: \t*"), *from = at;
	/* On the line before, only how it ends: "Double the sum:" is a heading. */
	for (int i = 0; i < 2 && line; i++) {
		while (from > l->from && is_blank(from[-1])) {
			from--;
		}
		while (from > l->from && is_word(from[-1])) {
			from--;
		}
	}
	struct span before = span_between(line ? from : l->from, at);
	return doubt_in_clause(before, before.len);
}

/* What stands before it leaves it what it is. */
static bool leads(struct lead *l, struct span *ret_variable)
{
	static const char *const arrows[] = {"\\Rightarrow", "\\rightarrow", "\\Longrightarrow",
	        "\\to", "\\implies", "\\therefore", "->", "=>", "→", "⇒", "∴", "⟹"};
	static const char bounds[] = "<>!~=";
	static const char *const equals[] = {"is", "equals", "was", "becomes", "be"};
	strip(l);
	if (l->at == l->from || ends_in(l, "\n")) {
		l->at = back_over(l->from, l->at, " \t\n\r");
		if (!ends_in(l, "=")) {
			return !(ends_in(l, ":") || ends_in(l, ",")) || !clause_doubts(l, true);
		}
	}
	for (size_t i = 0; i < ARRAY_LEN(arrows); i++) {
		if (ends_in(l, arrows[i])) {
			return true;
		}
	}
	char last = l->at[-1];
	if (last == '=') {
		/* "<=", "< =", "==" */
		const char *p = back_over(l->from, l->at - 1, " \t&");
		return (p == l->from || !p[-1] || !strchr(bounds, p[-1])) &&
		       left_side_is_plain(l->from, l->at, ret_variable);
	}
	if (is_letter(last)) {
		const char *word = l->at;
		while (word > l->from && is_letter(word[-1])) {
			word--;
		}
		bool command = word > l->from && word[-1] == '\\';
		struct span before = span_between(l->from, l->at), verb = span_between(word, l->at);
		bool made = span_in(verb, equals, ARRAY_LEN(equals)) &&
		            left_side_is_made(l->from, word + 1);
		return l->apart && !command && !made && !doubt_in_clause(before, before.len);
	}
	/* "is not: 5" */
	if (last == ':' || last == ',') {
		return !clause_doubts(l, false);
	}
	return last && (strchr(".;!?#|\"'", last) || (l->apart && last == ')'));
}

/* To the end of its sentence or line. */
static struct span tail_of(const char *at, const char *end)
{
	const char *p = at;
	while (p < end && p - at < TAIL_MAX && *p != '\n' &&
	        !(*p == '.' && (p + 1 == end || is_space(p[1])))) {
		p++;
	}
	return span_between(at, p);
}

/* "the final answer": that, and nothing behind it. */
static bool names_answer(struct span s)
{
	static const char *const which[] = {
	        "final ", "correct ", "right ", "desired ", "required "};
	static const char *const nouns[] = {
	        "answer", "result", "solution", "value", "total", "sum"};
	for (size_t i = 0; i < ARRAY_LEN(which); i++) {
		if (span_starts_nocase(s, which[i])) {
			s = span_from(s, strlen(which[i]));
		}
	}
	return span_in(s, nouns, ARRAY_LEN(nouns));
}

/* A tail that says nothing of the value. */
static bool is_idle(struct span tail)
{
	static const char *const idle[] = {"at last", "in total", "in all", "altogether",
	        "in the end", "of them", "is correct", "is right"};
	static const char *const begins[] = {
	        "is the ", "is our ", "is my ", "was the ", "as the ", "as our "};
	struct span s = span_trim(tail);
	while (s.len && strchr("!,;:", s.data[s.len - 1])) {
		s.len--;
	}
	for (size_t i = 0; i < ARRAY_LEN(begins); i++) {
		if (span_starts_nocase(s, begins[i])) {
			return names_answer(span_from(s, strlen(begins[i])));
		}
	}
	return span_in(s, idle, ARRAY_LEN(idle));
}

/* What closes a formula or an emphasis is left out: all of it becomes one formula. */
static void put_tail(struct span tail, struct buf *to)
{
	for (size_t i = 0; i < tail.len; i++) {
		char c = tail.data[i], next = i + 1 < tail.len ? tail.data[i + 1] : '\0';
		if (c == '\\' && next && strchr("()[]", next)) {
			i++;
		} else if (c == '\\' && next) {
			buf_append(to, tail.data + i++, 2);
		} else if (c != '$' && !(c == '*' && (next == '*' || !next))) {
			buf_append_char(to, c);
		}
	}
}

static struct span skip_closers(struct span tail)
{
	while (tail.len && *tail.data &&
	        (strchr("$*})", *tail.data) || span_starts(tail, "\\)") ||
	                span_starts(tail, "\\]") || span_starts(tail, "\\,"))) {
		tail = span_from(tail, *tail.data == '\\' ? 2 : 1);
	}
	return tail;
}

/* Its inside without markup, and what follows it; into c->form. */
static struct span plain_of(struct climb *c, struct span box, struct span tail)
{
	struct buf formula = {0}, pieces = {0}, plain = {0};
	buf_append_str(&formula, "\\(");
	buf_append_span(&formula, box);
	put_tail(tail, &formula);
	buf_append_str(&formula, "\\)");
	markup_pieces(buf_span(&formula), &pieces);
	markup_plain(buf_span(&formula), &pieces, false, &plain);
	buf_reserve(&plain, 1); /* so that it has an address */
	buf_clear(&c->form);
	ladder_digits(buf_span(&plain), &c->form);
	buf_finish(&formula);
	buf_finish(&pieces);
	buf_finish(&plain);
	return buf_span(&c->form);
}

static void read_value(
        struct climb *c, struct span box, struct span tail, enum question q, struct value *ret)
{
	value_read(plain_of(c, box, (struct span){box.data, 0}), q, true, ret);
	struct span rest = span_trim(tail);
	bool counts = ret->kind == VALUE_NUMBER || ret->kind == VALUE_DATE;
	bool parted = rest.len && *rest.data && strchr(".,;:!?(", *rest.data);
	bool matters = rest.len && !is_idle(rest) &&
	               (counts || !parted || doubt_joins(span_from(rest, 1)));
	if (matters) {
		value_read(plain_of(c, box, tail), q, true, ret);
	}
}

/* The next \boxed{, of which a backslash alone is sought first: most texts have none. NULL: there is none. */
static const char *next_box(const char *at, const char *end)
{
	const char *slash = memchr(at, '\\', (size_t)(end - at));
	return slash ? memmem(slash, (size_t)(end - slash), "\\boxed{", 7) : NULL;
}

/* The last one of the prose, and the piece that it lies in; *ret_others: there are unlike ones. */
static struct span find_last(const struct climb *c, struct span *ret_piece, bool *ret_others)
{
	struct span last = {0};
	size_t n = 0;
	for (size_t i = 0; i < markup_count(&c->pieces); i++) {
		const struct piece *p = markup_piece(&c->pieces, i);
		const char *at = p->all.data, *end = at + p->all.len;
		while (p->kind == PIECE_PROSE && at < end && (at = next_box(at, end))) {
			const char *close = math_brace(at + 7, end);
			struct span box = span_between(at, close ? close + 1 : at + 7);
			*ret_others |= n++ && !span_equal(box, last);
			last = box;
			*ret_piece = p->all;
			at += box.len;
		}
	}
	return last;
}

bool extract_boxed(struct climb *c, enum question q, struct extract *ret, struct span *ret_behind)
{
	struct span piece = {0};
	struct span box = find_last(c, &piece, &ret->others);
	if (box.len < 9) {
		return false;
	}
	struct lead lead = {.from = piece.data, .at = box.data};
	struct span variable = {0};
	struct span rest = span_between(box.data + box.len, c->text.data + c->text.len);
	struct span tail = skip_closers(tail_of(rest.data, piece.data + piece.len));
	ret->doubted = !leads(&lead, &variable) || doubt_behind(rest);
	read_value(c, box, tail, q, &ret->value);
	if (ret->value.kind == VALUE_NUMBER && !ret->value.variable.len) {
		ret->value.variable = variable;
	}
	ret->source = SOURCE_BOXED;
	ret->said = span_between(sentence_around(piece, box.data).data, box.data);
	ret->attribute = attribute_of_answer(ret->said);
	*ret_behind = rest;
	return true;
}
