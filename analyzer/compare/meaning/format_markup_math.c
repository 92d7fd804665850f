#include "analyzer/compare/meaning/format_markup_math.h"

#include <string.h>

#include "base/ascii.h"

#define SPAN_MAX 2000  /* bytes between two marks */
#define INLINE_MAX 300 /* between two dollars */

static void add(struct buf *edits, const char *at, size_t len, const char *with)
{
	struct markup_edit e = {at, len, with};
	buf_append(edits, &e, sizeof(e));
}

void math_init(struct math *m, struct span text)
{
	*m = (struct math){
	        .begin = text.data, .end = text.data + text.len, .budget = 65536 + 8 * text.len};
}

const char *math_brace(const char *from, const char *stop)
{
	size_t depth = 1;
	stop = from + MIN((size_t)(stop - from), (size_t)SPAN_MAX);
	for (const char *p = from; p < stop; p++) {
		if (*p == '\\') {
			p++;
		} else if (*p == '{') {
			depth++;
		} else if (*p == '}' && --depth == 0) {
			return p;
		}
	}
	return NULL;
}

static bool spend(struct math *m, const char *from, const char *found)
{
	size_t cost = found ? (size_t)(found - from) : SPAN_MAX;
	m->budget -= MIN(cost, m->budget);
	return found && m->budget > 0;
}

/* Removes [p, p + open) and the closing mark at `close`. */
static const char *wrap(struct math *m, const char *p, size_t open, const char *close, size_t len,
        struct buf *edits)
{
	add(edits, p, open, NULL);
	m->closers[m->depth].at = close;
	m->closers[m->depth++].len = len;
	return p + open;
}

static const char *find(const char *p, const char *stop, const char *what)
{
	return memmem(p, MIN((size_t)(stop - p), (size_t)SPAN_MAX), what, strlen(what));
}

/* Whether the text between two dollar signs is a formula, and not text between two prices. */
static bool is_formula(struct span s)
{
	for (size_t i = 0; i < s.len; i++) {
		if (s.data[i] == '\\') {
			while (i + 1 < s.len && is_letter(s.data[i + 1])) {
				i++;
			}
			/* \text{any words} */
			if (i + 1 < s.len && s.data[i + 1] == '{') {
				const char *close = math_brace(s.data + i + 2, s.data + s.len);
				i = close ? (size_t)(close - s.data) : i;
			}
		} else if (is_letter(s.data[i]) && i + 1 < s.len && is_letter(s.data[i + 1])) {
			return false;
		}
	}
	return true;
}

/* A dollar sign that ends a regular expression opens or closes no formula: "^a$|^b$". */
static bool is_anchor(const struct math *m, const char *open, const char *close)
{
	bool first = open == m->begin;
	bool before = !first && (open[-1] == '^' || open[-1] == '|');
	bool after = close + 1 < m->end && (close[1] == '^' || close[1] == '|');
	bool joined = !first && is_word(open[-1]) && open[1] == '|';
	return before || after || joined;
}

/* Bytes at which the search for a formula's closing dollar sign has to stop. */
static const char ENDS[] = "$\n\\";

static const char *scan_dollar(struct math *m, const char *p, const char *stop, struct buf *edits)
{
	size_t n = p + 1 < stop && p[1] == '$' ? 2 : 1;
	const char *from = p + n;
	if (n == 2) {
		const char *close = find(from, stop, "$$");
		bool found = spend(m, from, close);
		return found && close > from ? wrap(m, p, 2, close, 2, edits) : from;
	}
	const char *limit = from + MIN((size_t)(stop - from), (size_t)INLINE_MAX);
	if (from == limit || is_space(*from)) {
		return from;
	}
	const char *close = find_any(from, limit, ENDS);
	while (close < limit && *close == '\\') {
		close = find_any(close + (close + 1 < limit ? 2 : 1), limit, ENDS);
	}
	bool found = close < limit && *close == '$';
	spend(m, from, close);
	if (!found || m->budget == 0 || close == from || is_space(close[-1]) ||
	        (close + 1 < m->end && is_word(close[1])) || is_anchor(m, p, close) ||
	        !is_formula(span_between(from, close))) {
		return from;
	}
	return wrap(m, p, 1, close, 1, edits);
}

/* Handles \boxed{ anywhere, and the other wrappers only within a formula. */
static const char *scan_wrapper(struct math *m, const char *p, const char *stop, struct buf *edits)
{
	static const char *const names[] = {"\\boxed{", "\\fbox{", "\\text{", "\\textbf{",
	        "\\mathrm{", "\\mathbf{", "\\textit{", "\\mbox{", "\\operatorname{"};
	for (size_t i = 0; i < ARRAY_LEN(names); i++) {
		size_t n = strlen(names[i]);
		if (!span_starts(span_between(p, stop), names[i]) || (i > 1 && m->depth == 0)) {
			continue;
		}
		const char *close = math_brace(p + n, stop);
		/* A closing mark must come before that of the enclosing wrapper. */
		bool nested = close && (m->depth == 0 || close < m->closers[m->depth - 1].at);
		if (!spend(m, p, close) || !nested) {
			return p + n;
		}
		return wrap(m, p, n, close, 1, edits);
	}
	return NULL;
}

/* Replaces a command that stands for one character, or for none. */
static const char *scan_command(const char *p, const char *stop, struct buf *edits)
{
	static const struct {
		const char *command, *with;
	} commands[] = {{"\\times", "×"}, {"\\cdot", "·"}, {"\\pm", "±"}, {"\\leq", "≤"},
	        {"\\le", "≤"}, {"\\geq", "≥"}, {"\\ge", "≥"}, {"\\neq", "≠"}, {"\\ne", "≠"},
	        {"\\pi", "π"}, {"\\infty", "∞"}, {"\\approx", "≈"}, {"\\left", ""}, {"\\right", ""},
	        {"\\dfrac", "\\frac"}, {"\\tfrac", "\\frac"}, {"\\rightarrow", "→"}, {"\\to", "→"},
	        {"\\quad", " "}, {"\\qquad", " "}, {"\\displaystyle", ""}};
	static const struct {
		const char *command, *with;
	} signs[] = {{"^{\\circ}", "°"}, {"^\\circ", "°"}, {"{,}", ","}, {"\\,", ""}, {"\\;", " "},
	        {"\\:", " "}, {"\\!", ""}, {"\\%", "%"}, {"\\$", "$"}, {"\\ ", " "}, {"~", " "}};
	struct span rest = span_between(p, stop);
	for (size_t i = 0; i < ARRAY_LEN(signs); i++) {
		size_t n = strlen(signs[i].command);
		if (span_starts(rest, signs[i].command) &&
		        (n != 6 || p + n == stop || !is_letter(p[n]))) {
			add(edits, p, n, signs[i].with);
			return p + n;
		}
	}
	for (size_t i = 0; i < ARRAY_LEN(commands); i++) {
		size_t n = strlen(commands[i].command);
		if (span_starts(rest, commands[i].command) && (p + n == stop || !is_letter(p[n]))) {
			add(edits, p, n, commands[i].with);
			return p + n;
		}
	}
	return NULL;
}

const char *math_scan(struct math *m, const char *p, const char *stop, struct buf *edits)
{
	while (m->depth && m->closers[m->depth - 1].at < p) {
		m->depth--; /* a block came between */
	}
	if (m->depth && m->closers[m->depth - 1].at == p) {
		m->depth--;
		add(edits, p, m->closers[m->depth].len, NULL);
		return p + m->closers[m->depth].len;
	}
	bool room = m->depth < MATH_DEPTH && m->budget > 0;
	struct span rest = span_between(p, stop);
	if (*p == '\\' && room) {
		bool display = span_starts(rest, "\\[");
		if (m->depth == 0 && (display || span_starts(rest, "\\("))) {
			const char *close = find(p + 2, stop, display ? "\\]" : "\\)");
			return spend(m, p, close) ? wrap(m, p, 2, close, 2, edits) : p + 2;
		}
		const char *next = scan_wrapper(m, p, stop, edits);
		if (next) {
			return next;
		}
	}
	if (m->depth && (*p == '\\' || *p == '^' || *p == '{' || *p == '~')) {
		return scan_command(p, stop, edits);
	}
	if (m->depth == 0 && *p == '$' && room) {
		return scan_dollar(m, p, stop, edits);
	}
	/* These escapes do not occur in regular expressions. */
	if (*p == '\\' && rest.len > 1 &&
	        (p[1] == '_' || p[1] == '%' || p[1] == '&' || p[1] == '#')) {
		add(edits, p, 1, NULL);
		return p + 2;
	}
	return NULL;
}
