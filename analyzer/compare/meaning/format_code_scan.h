#pragma once
/*
 * format_code_scan - what the scanners of all languages share: a place in the code and the tokens so far.
 */
#include <string.h>

#include "analyzer/compare/meaning/format_code.h"
#include "base/letters.h"

struct code_scan {
	const char *begin, *p, *end;
	struct buf *to;
	struct code_comments *comments;
	size_t depth; /* of brackets */
	struct code_token last;
	bool any; /* a token has been put: last is one */
};

static inline void code_scan_put(
        struct code_scan *s, enum code_token_kind kind, const char *from, const char *to)
{
	s->last = (struct code_token){kind, span_between(from, to)};
	s->any = true;
	buf_append(s->to, &s->last, sizeof(s->last));
	s->p = to;
}

static inline bool code_scan_at(const struct code_scan *s, const char *what)
{
	return span_starts(span_between(s->p, s->end), what);
}

static inline const char *code_scan_line_end(const char *p, const char *end)
{
	const char *feed = memchr(p, '\n', (size_t)(end - p));
	return feed ? feed : end;
}

/* The last token is this mark. */
static inline bool code_scan_after(const struct code_scan *s, const char *marks)
{
	return s->any && s->last.kind == CODE_MARK && s->last.text.len == 1 &&
	       strchr(marks, *s->last.text.data);
}

/* Passes a comment that ends there. */
void code_scan_comment(struct code_scan *s, const char *end);
/* A line feed that may matter, unless one has just been put or nothing has. */
void code_scan_line(struct code_scan *s);
/* The end of a string whose opening quote is at p, its closing quote included; NULL: there is none.
 * lines: it may hold line feeds. */
const char *code_scan_string(const char *p, const char *end, bool lines);
/* A word or number at p; false: neither. */
bool code_scan_word(struct code_scan *s);
/* A mark of one character, or one of `joined` (terminated by NULL). False: brackets do not match. */
bool code_scan_mark(struct code_scan *s, const char *const *joined);

bool code_python_read(struct code_scan *s);
bool code_c_read(struct code_scan *s, enum code_language l);
bool code_sql_read(struct code_scan *s);
bool code_shell_read(struct code_scan *s);
