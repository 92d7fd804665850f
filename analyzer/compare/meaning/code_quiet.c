#include "analyzer/compare/meaning/code_quiet.h"

#include <string.h>

#include "base/letters.h"

struct quiet {
	const struct code_token *all;
	size_t n, at;
	struct buf *to;
	bool fresh; /* a statement begins */
};

static bool is_mark(const struct quiet *q, size_t i, const char *mark)
{
	return i < q->n && q->all[i].kind == CODE_MARK && span_same(q->all[i].text, mark);
}

/* One of these marks of one character. */
static bool is_one_of(const struct quiet *q, size_t i, const char *marks)
{
	return i < q->n && q->all[i].kind == CODE_MARK && q->all[i].text.len == 1 &&
	       strchr(marks, *q->all[i].text.data);
}

static bool is_word_of(const struct quiet *q, size_t i, const char *word)
{
	return i < q->n && q->all[i].kind == CODE_WORD && span_same(q->all[i].text, word);
}

static void keep(struct quiet *q)
{
	buf_append(q->to, &q->all[q->at++], sizeof(*q->all));
}

static void put(struct quiet *q, enum code_token_kind kind, struct span text)
{
	struct code_token t = {.kind = kind, .text = text};
	buf_append(q->to, &t, sizeof(t));
}

/* "x += 1" and "x++" become "x = x + 1". False: there is none here. */
static bool spell_assignment(struct quiet *q)
{
	static const char *const joined[] = {"+=", "-=", "*=", "/=", "%=", "&=", "|=", "^="};
	bool before = is_mark(q, q->at, "++") || is_mark(q, q->at, "--");
	size_t name = q->at + before;
	if (name >= q->n || q->all[name].kind != CODE_WORD || (!before && name + 1 >= q->n)) {
		return false;
	}
	const struct code_token *word = &q->all[name], *mark = &q->all[before ? q->at : name + 1];
	bool step = before || is_mark(q, name + 1, "++") || is_mark(q, name + 1, "--");
	bool assigns = !before && mark->kind == CODE_MARK &&
	               span_in(mark->text, joined, ARRAY_LEN(joined));
	if (!step && !assigns) {
		return false;
	}
	put(q, word->kind, word->text);
	put(q, CODE_MARK, span_of("="));
	put(q, word->kind, word->text);
	put(q, CODE_MARK, (struct span){mark->text.data, 1});
	if (step) {
		put(q, CODE_NUMBER, span_of("1"));
	}
	q->at += 2;
	return true;
}

static bool is_zero(const struct quiet *q, size_t i)
{
	return i < q->n && q->all[i].kind == CODE_NUMBER && span_is(q->all[i].text, "0");
}

/* "range(0, n)" is "range(n)", and "== None" is "is None". False: there is none here. */
static bool spell_python(struct quiet *q)
{
	if (is_word_of(q, q->at, "range") && is_mark(q, q->at + 1, "(") && is_zero(q, q->at + 2) &&
	        is_mark(q, q->at + 3, ",")) {
		keep(q);
		keep(q);
		q->at += 2;
		return true;
	}
	bool unequal = is_mark(q, q->at, "!=");
	if (!(unequal || is_mark(q, q->at, "==")) || !is_word_of(q, q->at + 1, "None")) {
		return false;
	}
	put(q, CODE_WORD, span_of("is"));
	if (unequal) {
		put(q, CODE_WORD, span_of("not"));
	}
	q->at++;
	return true;
}

static bool ends_statement(const struct quiet *q, size_t i)
{
	return i >= q->n || q->all[i].kind == CODE_LINE || q->all[i].kind == CODE_INDENT ||
	       q->all[i].kind == CODE_DEDENT;
}

/* Through its line's end. */
static void drop_statement(struct quiet *q)
{
	while (!ends_statement(q, q->at)) {
		q->at++;
	}
	q->at += q->at < q->n && q->all[q->at].kind == CODE_LINE;
}

/* To one of these marks outside of brackets, or the statement's end. */
static void drop_to(struct quiet *q, const char *marks)
{
	size_t depth = 0;
	for (; !ends_statement(q, q->at); q->at++) {
		const struct code_token *t = &q->all[q->at];
		char c = t->kind == CODE_MARK && t->text.len == 1 ? *t->text.data : '\0';
		if (c && depth == 0 && strchr(marks, c)) {
			return;
		}
		depth += c && strchr("([{", c) != NULL;
		depth -= c && depth && strchr(")]}", c) != NULL;
	}
}

static void drop_comma(struct quiet *q)
{
	bool last = is_mark(q, q->at + 1, ")") || is_mark(q, q->at + 1, "]") ||
	            is_mark(q, q->at + 1, "}");
	if (is_mark(q, q->at, ",") && last) {
		q->at++;
	} else {
		keep(q);
	}
}

/* "def f(x: int = 1, *y) -> int:", from its "def" on, through its first colon. */
static void read_head(struct quiet *q)
{
	size_t depth = 0;
	while (!ends_statement(q, q->at)) {
		depth += is_mark(q, q->at, "(") || is_mark(q, q->at, "[") || is_mark(q, q->at, "{");
		depth -= depth && (is_mark(q, q->at, ")") || is_mark(q, q->at, "]") ||
		                          is_mark(q, q->at, "}"));
		if (depth == 1 && is_mark(q, q->at, ":")) {
			drop_to(q, ",=)");
		} else if (depth == 0 && is_mark(q, q->at, "->")) {
			drop_to(q, ":");
		} else if (depth == 0 && is_mark(q, q->at, ":")) {
			return;
		} else {
			drop_comma(q);
		}
	}
}

/* Whether "x: int = 1" begins here; the colon of "else: x = 1" is none of a type. */
static bool is_annotated(const struct quiet *q)
{
	bool named = q->at < q->n && q->all[q->at].kind == CODE_WORD;
	bool block = is_word_of(q, q->at, "else") || is_word_of(q, q->at, "try") ||
	             is_word_of(q, q->at, "finally") || is_word_of(q, q->at, "except");
	return named && !block && is_mark(q, q->at + 1, ":");
}

/* A statement's beginning, if it is one of those. */
static void begin_python(struct quiet *q)
{
	/* The last of a program may be its value. */
	bool text = q->all[q->at].kind == CODE_STRING && q->at + 1 < q->n &&
	            ends_statement(q, q->at + 1);
	bool types = is_word_of(q, q->at, "from") && is_word_of(q, q->at + 1, "typing");
	if (text || types) {
		drop_statement(q);
		return;
	}
	q->fresh = false;
	if (is_word_of(q, q->at, "def")) {
		read_head(q);
	} else if (is_annotated(q)) {
		keep(q);
		drop_to(q, "=");
	} else {
		keep(q);
	}
}

/* Words of SQL that say what holds without them. */
static bool is_idle_word(const struct quiet *q)
{
	static const char *const words[] = {"as", "asc", "inner"};
	const struct code_token *t = &q->all[q->at];
	return t->kind == CODE_WORD && span_in(t->text, words, ARRAY_LEN(words));
}

/* A script's statement ends with its line as it does with a ";". False: none ends here. */
static bool end_script(struct quiet *q)
{
	if (!is_mark(q, q->at, ";") && q->all[q->at].kind != CODE_LINE) {
		return false;
	}
	size_t n = q->to->len / sizeof(*q->all);
	const struct code_token *put_before = (const void *)q->to->data;
	bool ended = n == 0 || span_same(put_before[n - 1].text, ";");
	if (!ended && q->at + 1 < q->n) {
		put(q, CODE_MARK, span_of(";"));
	}
	q->at++;
	return true;
}

/* An expression may begin behind it that goes as far as the statement, or the brackets around, do. */
static bool leads(const struct quiet *q, size_t at)
{
	static const char *const words[] = {"return", "if", "while", "elif", "where", "on",
	        "having", "when", "assert", "in", "case", "switch"};
	if (at == 0 || ends_statement(q, at - 1)) {
		return true;
	}
	const struct code_token *t = &q->all[at - 1];
	return is_one_of(q, at - 1, "=([,;") ||
	       (t->kind == CODE_WORD && span_in(t->text, words, ARRAY_LEN(words)));
}

/* "return (x)", "if (x > 1):", "f((x))"; "(x, y)" are two arguments without them. */
static bool are_idle(const struct quiet *q, size_t open, size_t close, bool comma)
{
	bool ends = ends_statement(q, close + 1) || is_one_of(q, close + 1, ")],:;{");
	bool several = comma && is_one_of(q, open - (open > 0), "([,");
	return close > open + 1 && !several && ends && leads(q, open);
}

#define BRACKETS_MAX 256 /* within one another: deeper ones are left */

/* Drops brackets around the whole of an expression. */
static void drop_brackets(const struct quiet *q, struct buf *to)
{
	struct {
		size_t at;
		bool comma;
	} open[BRACKETS_MAX];
	size_t depth = 0;
	struct buf drops = {0};
	char *drop = memset(buf_reserve(&drops, q->n + 1), 0, q->n + 1);
	for (size_t i = 0; i < q->n; i++) {
		if (is_one_of(q, i, "([{")) {
			if (depth < BRACKETS_MAX) {
				open[depth].at = i;
				open[depth].comma = false;
			}
			depth++;
		} else if (is_one_of(q, i, ")]}") && depth > 0) {
			depth--;
			bool round = depth < BRACKETS_MAX && is_mark(q, open[depth].at, "(");
			if (round && are_idle(q, open[depth].at, i, open[depth].comma)) {
				drop[open[depth].at] = drop[i] = 1;
			}
		} else if (depth && depth <= BRACKETS_MAX) {
			open[depth - 1].comma |= is_mark(q, i, ",");
		}
	}
	for (size_t i = 0; i < q->n; i++) {
		if (!drop[i]) {
			buf_append(to, &q->all[i], sizeof(*q->all));
		}
	}
	buf_finish(&drops);
}

void code_quiet(const struct code_token *tokens, size_t n, enum code_language l, struct buf *to)
{
	struct quiet q = {.all = tokens, .n = n, .to = to, .fresh = true};
	struct buf bare = {0};
	buf_reserve(&bare, 1); /* so that it has an address */
	drop_brackets(&q, &bare);
	q.all = (const struct code_token *)(const void *)bare.data;
	q.n = bare.len / sizeof(*q.all);
	while (q.at < q.n) {
		if (l == CODE_SQL && is_idle_word(&q)) {
			q.at++;
		} else if (l == CODE_SCRIPT && end_script(&q)) {
			q.fresh = true;
		} else if (ends_statement(&q, q.at)) {
			q.fresh = true;
			keep(&q);
		} else if (spell_assignment(&q) || (l == CODE_PYTHON && spell_python(&q))) {
			q.fresh = false;
		} else if (l == CODE_PYTHON && q.fresh) {
			begin_python(&q);
		} else {
			drop_comma(&q);
		}
	}
	buf_finish(&bare);
}
