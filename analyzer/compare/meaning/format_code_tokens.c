#include "analyzer/compare/meaning/format_code_tokens.h"

#include <string.h>

#include "base/ascii.h"

#define INDENT_MAX 100

struct scan {
	const char *begin, *p, *end;
	enum code_language language;
	bool lines; /* line feeds matter */
	struct code_tokens *to;
	struct code_token last; /* valid only if to->items is not empty */
	size_t depth;           /* of brackets */
	size_t indents[INDENT_MAX], n_indents;
};

static void put(struct scan *s, enum code_token_kind kind, const char *from, const char *to)
{
	s->last = (struct code_token){kind, span_between(from, to)};
	buf_append(&s->to->items, &s->last, sizeof(s->last));
}

static bool starts(const struct scan *s, const char *with)
{
	return span_starts(span_between(s->p, s->end), with);
}

static const char *line_end(const struct scan *s)
{
	const char *feed = memchr(s->p, '\n', (size_t)(s->end - s->p));
	return feed ? feed : s->end;
}

/* Whether the last token is one of these single-character marks. */
static bool is_behind(const struct scan *s, const char *marks)
{
	return s->to->items.len && s->last.kind == CODE_MARK && s->last.text.len == 1 &&
	       is_any(*s->last.text.data, marks);
}

/* The byte before p; at the beginning of the code a line feed. */
static char before(const struct scan *s, const char *p)
{
	return p > s->begin ? p[-1] : '\n';
}

/* Whether no tool reads the comment, unlike "#!/bin/sh", "//go:build", "#
 * type: int" or "@ts-ignore". */
static bool is_plain(struct span comment)
{
	while (comment.len && is_any(*comment.data, "#/-*")) {
		comment = span_from(comment, 1);
	}
	struct span words = span_trim(comment);
	size_t n = 0;
	while (n < words.len && is_word(words.data[n])) {
		n++;
	}
	bool named = n < words.len && is_any(words.data[n], ":=-");
	bool is_separate = words.len == 0 || (is_space(*comment.data) && n > 0);
	return is_separate && !named && !memchr(words.data, '@', words.len);
}

static void pass_comment(struct scan *s, const char *end)
{
	struct span comment = span_trim(span_between(s->p, end));
	buf_append_span(&s->to->comments, comment);
	buf_append_char(&s->to->comments, '\n');
	s->to->special |= !is_plain(comment);
	s->p = end;
}

static void end_line(struct scan *s)
{
	/* A line feed where no statement can end has no meaning. */
	bool goes_on = s->language == CODE_PYTHON ? s->depth > 0 : is_behind(s, ";{([,");
	if (s->lines && !goes_on && s->to->items.len && s->last.kind != CODE_NEWLINE) {
		put(s, CODE_NEWLINE, s->p, s->p);
	}
}

/* What the scanner did with the bytes at p. */
enum taken { TAKEN_NOTHING, TAKEN, TAKEN_WRONG };

static enum taken take_slashes(struct scan *s)
{
	if (starts(s, "//")) {
		const char *feed = line_end(s);
		struct span all = span_between(s->p, feed);
		/* The comment's line may be continued, or the slashes may be inside an
		 * expression or in text between tags. */
		bool odd = feed[-1] == '\\' || is_any(before(s, s->p), ":\\[") ||
		           memmem(all.data, all.len, "</", 2);
		pass_comment(s, feed);
		return odd ? TAKEN_WRONG : TAKEN;
	}
	if (!starts(s, "/*")) {
		/* A slash without an operand before it may begin a regular expression. */
		bool operand =
		        s->to->items.len && (s->last.kind < CODE_MARK || is_behind(s, ")]}"));
		return s->language == CODE_LINES && !operand ? TAKEN_WRONG : TAKEN_NOTHING;
	}
	struct span rest = span_between(s->p + 2, s->end);
	const char *close = memmem(rest.data, rest.len, "*/", 2);
	if (!close || memmem(rest.data, (size_t)(close - rest.data), "/*", 2)) {
		/* comments nest in Rust and Swift, but not in other languages */
		return TAKEN_WRONG;
	}
	bool feed = memchr(rest.data, '\n', (size_t)(close - rest.data)) != NULL;
	pass_comment(s, close + 2);
	if (feed) {
		end_line(s);
	}
	return TAKEN;
}

static enum taken take_comment(struct scan *s)
{
	if (s->language != CODE_PYTHON) {
		return *s->p == '/' ? take_slashes(s) : TAKEN_NOTHING;
	}
	if (*s->p != '#') {
		return TAKEN_NOTHING;
	}
	pass_comment(s, line_end(s));
	return TAKEN;
}

/* Returns the position after the next mark that no backslash escapes. NULL if there is none, or
 * none on this line. */
static const char *string_end(const char *from, const char *end, const char *mark, bool lines)
{
	for (const char *p = from; p < end && (lines || *p != '\n'); p++) {
		if (*p == '\\') {
			p++;
		} else if (span_starts(span_between(p, end), mark)) {
			return p + strlen(mark);
		}
	}
	return NULL;
}

/* Whether every brace is closed. If not, a quotation mark within braces was taken for the
 * string's end. */
static bool is_balanced(struct span s)
{
	size_t depth = 0;
	for (size_t i = 0; i < s.len; i++) {
		if (s.data[i] == '}' && depth-- == 0) {
			return false;
		}
		depth += s.data[i] == '{';
	}
	return depth == 0;
}

static enum taken take_python_string(struct scan *s)
{
	const char *p = s->p;
	while (p < s->end && p < s->p + 3 && is_any(*p, "rRbBuUfF")) {
		p++;
	}
	if (p == s->end || (*p != '"' && *p != '\'')) {
		return TAKEN_NOTHING;
	}
	char mark[] = {*p, *p, *p, '\0'};
	bool three = span_starts(span_between(p, s->end), mark);
	mark[three ? 3 : 1] = '\0';
	const char *inside = p + strlen(mark), *close = string_end(inside, s->end, mark, three);
	bool formatted = find_any(s->p, p, "fF") < p;
	if (!close || (formatted && !is_balanced(span_between(inside, close)))) {
		return TAKEN_WRONG;
	}
	/* A plain string means the same with either kind of quotation mark. */
	bool plain = p == s->p && !three && find_any(inside, close - 1, "\"'\\") == close - 1;
	put(s, CODE_STRING, plain ? inside : s->p, plain ? close - 1 : close);
	s->p = close;
	return TAKEN;
}

static enum taken take_string(struct scan *s)
{
	if (s->language == CODE_PYTHON) {
		return take_python_string(s);
	}
	char c = *s->p, mark[] = {c, '\0'};
	bool template = c == '`' && s->language == CODE_LINES;
	if (c != '"' && c != '\'' && !template) {
		return TAKEN_NOTHING;
	}
	const char *close = string_end(s->p + 1, s->end, mark, template);
	size_t n = close ? (size_t)(close - s->p) : 0;
	/* The scanner does not understand raw strings, strings of several lines, templates with
	 * code in them, or Rust's lifetimes. */
	bool raw = is_word(before(s, s->p)) || is_any(before(s, s->p), "#$@");
	bool character = n == 3 || (n > 3 && (s->p[1] == '\\' || (s->p[1] & 0x80)));
	if (n == 0 || raw || starts(s, "\"\"\"") || (template && memmem(s->p, n, "${", 2)) ||
	        (c == '\'' && s->language == CODE_C && !character)) {
		return TAKEN_WRONG;
	}
	put(s, CODE_STRING, s->p, close);
	s->p = close;
	return TAKEN;
}

static bool take_word(struct scan *s)
{
	const char *p = s->p;
	bool number = is_digit(*p) || (*p == '.' && p + 1 < s->end && is_digit(p[1]));
	bool hex = starts(s, "0x") || starts(s, "0X");
	if (!number && !is_word(*p) && *p != '$' && *p != '@') {
		return false;
	}
	for (p++; p < s->end; p++) {
		bool sign = number && !hex && is_any(*p, "+-") && is_any(p[-1], "eE");
		bool point = number && *p == '.' && !(p + 1 < s->end && p[1] == '.');
		if (!is_word(*p) && *p != '$' && !sign && !point) {
			break;
		}
	}
	put(s, number ? CODE_NUMBER : CODE_WORD, s->p, p);
	s->p = p;
	return true;
}

/* Returns false if a bracket closes that was not opened. */
static bool take_mark(struct scan *s)
{
	/* The operators of all languages. In a language without one of these, two tokens may be
	 * read as one, but never one as two. */
	static const char *const joined[] = {">>>=", ">>>", "...",
	        "..=", "<<=", ">>=", "===", "!==", "**=", "//=", "?\?=", "&&=", "||=", "<=>", "->",
	        "++", "--", "<<", ">>", "<=", ">=", "==", "!=", "&&", "||",
	        "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "::", "=>", "?\?", "?.", "**", "//",
	        ":=", "<-", "..", "<>", "&^", "!!"};
	size_t n = 1;
	for (size_t i = 0; i < ARRAY_LEN(joined) && n == 1; i++) {
		n = starts(s, joined[i]) ? strlen(joined[i]) : 1;
	}
	bool closes = is_any(*s->p, ")]}");
	if (closes && s->depth == 0) {
		return false;
	}
	s->depth += is_any(*s->p, "([{");
	s->depth -= closes;
	put(s, CODE_MARK, s->p, s->p + n);
	s->p += n;
	return true;
}

/* Reads the indentation of a line. Returns false if it mixes tabs and blanks, or returns to a
 * depth that no earlier line had. */
static bool take_indent(struct scan *s)
{
	const char *line = s->p;
	while (line > s->begin && line[-1] != '\n') {
		line--;
	}
	size_t width = (size_t)(s->p - line);
	if (memchr(line, ' ', width) && memchr(line, '\t', width)) {
		return false;
	}
	if (s->n_indents == 0) {
		s->indents[s->n_indents++] = width; /* a fragment may begin anywhere */
		return true;
	}
	if (width > s->indents[s->n_indents - 1]) {
		if (s->n_indents == INDENT_MAX) {
			return false;
		}
		s->indents[s->n_indents++] = width;
		put(s, CODE_INDENT, s->p, s->p);
	}
	while (s->n_indents > 1 && width < s->indents[s->n_indents - 1]) {
		s->n_indents--;
		put(s, CODE_DEDENT, s->p, s->p);
	}
	return width == s->indents[s->n_indents - 1];
}

static bool take_token(struct scan *s)
{
	bool first = s->to->items.len == 0 || s->last.kind == CODE_NEWLINE;
	enum taken taken = take_comment(s);
	if (taken != TAKEN_NOTHING) {
		return taken == TAKEN;
	}
	if (s->language == CODE_PYTHON && first && !take_indent(s)) {
		return false;
	}
	taken = take_string(s);
	return taken == TAKEN || (taken == TAKEN_NOTHING && (take_word(s) || take_mark(s)));
}

bool code_tokens_read(struct span code, enum code_language l, struct code_tokens *ret)
{
	/* A directive of the preprocessor ends with its line. */
	bool directives = l == CODE_C && code.len && memchr(code.data, '#', code.len);
	struct scan s = {.begin = code.data,
	        .p = code.data,
	        .end = code.data + code.len,
	        .language = l,
	        .lines = l != CODE_C || directives,
	        .to = ret};
	/* "F(x)" and "F (x)" are two things in a definition. */
	if (memchr(code.data, '\0', code.len) || memmem(code.data, code.len, "#define", 7)) {
		return false;
	}
	while (s.p < s.end) {
		if (*s.p == '\n') {
			end_line(&s);
			s.p++;
		} else if (is_space(*s.p)) {
			s.p++;
		} else if (starts(&s, "\\\n")) {
			s.p += 2;
		} else if (!take_token(&s)) {
			return false;
		}
	}
	bool feed = s.to->items.len && s.last.kind == CODE_NEWLINE;
	ret->items.len -= feed ? sizeof(s.last) : 0;
	return s.depth == 0;
}

void code_tokens_finish(struct code_tokens *t)
{
	buf_finish(&t->items);
	buf_finish(&t->comments);
}
