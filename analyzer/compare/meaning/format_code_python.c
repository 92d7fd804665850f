#include "analyzer/compare/meaning/format_code_scan.h"

#define INDENT_MAX 100

static const char *const joined[] = {"**=", "//=", ">>=", "<<=", "...", "**", "//", ">>", "<<",
        "<=", ">=", "==", "!=", "->", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", ":=", NULL};

/* The end of a string, from its first quotation mark; NULL: it has none. */
static const char *string_end(const char *p, const char *end)
{
	char three[] = {*p, *p, *p, '\0'};
	if (!span_starts(span_between(p, end), three)) {
		return code_scan_string(p, end, false);
	}
	for (const char *q = p + 3; q < end; q++) {
		if (*q == '\\') {
			q++;
		} else if (span_starts(span_between(q, end), three)) {
			return q + 3;
		}
	}
	return NULL;
}

/* Braces within a formatted string must close within it, or a quotation mark there was taken for
 * its end. */
static bool is_balanced(struct span s)
{
	size_t depth = 0;
	for (size_t i = 0; i < s.len; i++) {
		if (s.data[i] == '{') {
			depth++;
		} else if (s.data[i] == '}' && depth-- == 0) {
			return false;
		}
	}
	return depth == 0;
}

/* A string at p, its prefix included. 1: put; 0: there is none; -1: it cannot be read. */
static int read_string(struct code_scan *s)
{
	const char *p = s->p;
	bool formatted = false;
	while (p < s->end && p < s->p + 3 && is_letter(*p) && strchr("rRbBuUfF", *p)) {
		formatted |= *p == 'f' || *p == 'F';
		p++;
	}
	if (p == s->end || (*p != '"' && *p != '\'')) {
		return 0;
	}
	const char *close = string_end(p, s->end);
	if (!close || (formatted && !is_balanced(span_between(p, close)))) {
		return -1;
	}
	struct span inside = span_between(p + 1, close - 1);
	/* Which mark a plain string has says nothing. */
	bool plain = p == s->p && inside.len && *inside.data != *p &&
	             !memchr(inside.data, '"', inside.len) &&
	             !memchr(inside.data, '\'', inside.len) &&
	             !memchr(inside.data, '\\', inside.len);
	code_scan_put(s, CODE_STRING, plain ? p + 1 : s->p, plain ? close - 1 : close);
	s->p = close;
	return 1;
}

struct indents {
	size_t width[INDENT_MAX];
	size_t n;
};

/* At a line's first token. False: an indentation that no line before it had, or tabs among
 * blanks. */
static bool indent(struct code_scan *s, struct indents *in, struct span white)
{
	if (white.len && memchr(white.data, ' ', white.len) &&
	        memchr(white.data, '\t', white.len)) {
		return false;
	}
	const char *p = s->p;
	if (in->n == 0) {
		in->width[in->n++] = white.len; /* a fragment may begin anywhere */
		return true;
	}
	if (white.len > in->width[in->n - 1]) {
		if (in->n == INDENT_MAX) {
			return false;
		}
		in->width[in->n++] = white.len;
		code_scan_put(s, CODE_INDENT, p, p);
		return true;
	}
	while (in->n > 1 && white.len < in->width[in->n - 1]) {
		in->n--;
		code_scan_put(s, CODE_DEDENT, p, p);
	}
	return white.len == in->width[in->n - 1];
}

bool code_python_read(struct code_scan *s)
{
	struct indents in = {.n = 0};
	const char *line = s->p;
	bool fresh = true;
	while (s->p < s->end) {
		char c = *s->p;
		if (c == '\n') {
			if (s->depth == 0) {
				code_scan_line(s);
				fresh = true;
			}
			line = ++s->p;
		} else if (is_space(c)) {
			s->p++;
		} else if (c == '#') {
			code_scan_comment(s, code_scan_line_end(s->p, s->end));
		} else if (c == '\\' && s->p + 1 < s->end && s->p[1] == '\n') {
			s->p += 2;
		} else {
			if (fresh && !indent(s, &in, span_between(line, s->p))) {
				return false;
			}
			fresh = false;
			int string = read_string(s);
			if (string < 0 ||
			        (string == 0 && !code_scan_word(s) && !code_scan_mark(s, joined))) {
				return false;
			}
		}
	}
	return s->depth == 0;
}
