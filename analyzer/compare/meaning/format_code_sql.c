#include "analyzer/compare/meaning/format_code_scan.h"

static const char *const joined[] = {"<=", ">=", "<>", "!=", "||", "::", "->>", "->", ":=", NULL};
static const char *const keywords[] = {"select", "from", "where", "group", "by", "order", "having",
        "join", "left", "right", "inner", "outer", "full", "cross", "on", "as", "and", "or", "not",
        "in", "is", "null", "like", "between", "exists", "union", "all", "distinct", "limit",
        "offset", "insert", "into", "values", "update", "set", "delete", "create", "table", "drop",
        "alter", "add", "primary", "key", "foreign", "references", "index", "unique", "default",
        "check", "constraint", "case", "when", "then", "else", "end", "asc", "desc", "with", "over",
        "partition", "count", "sum", "avg", "min", "max", "coalesce", "cast", "int", "integer",
        "varchar", "text", "date", "begin", "commit", "rollback", "if", "true", "false", "interval",
        "using", "returning", "row_number", "rank", "view", "recursive"};

/* Of two spellings of a mark one. */
static void put_mark(struct code_scan *s)
{
	struct code_token *t = (struct code_token *)(void *)(s->to->data + s->to->len) - 1;
	if (span_same(t->text, "<>")) {
		t->text = span_of("!=");
	}
}

/* Keywords in one case; names keep theirs, since some engines tell them apart. */
static void put_word(struct code_scan *s)
{
	struct code_token *t = (struct code_token *)(void *)(s->to->data + s->to->len) - 1;
	for (size_t i = 0; t->kind == CODE_WORD && i < ARRAY_LEN(keywords); i++) {
		if (span_is_nocase(t->text, keywords[i])) {
			t->text = span_of(keywords[i]);
		}
	}
}

/* As the others': 1, 0, -1. */
static int skip_comment(struct code_scan *s)
{
	if (code_scan_at(s, "--")) {
		const char *after = s->p + 2;
		if (after < s->end && !is_space(*after)) {
			return -1; /* MySQL reads two minus signs */
		}
		code_scan_comment(s, code_scan_line_end(s->p, s->end));
		return 1;
	}
	if (code_scan_at(s, "/*")) {
		const char *close = memmem(s->p + 2, (size_t)(s->end - s->p - 2), "*/", 2);
		if (!close || s->p[2] == '+' || s->p[2] == '!' ||
		        memmem(s->p + 2, (size_t)(close - s->p - 2), "/*", 2)) {
			return -1; /* hints, and what MySQL executes */
		}
		code_scan_comment(s, close + 2);
		return 1;
	}
	return 0;
}

bool code_sql_read(struct code_scan *s)
{
	while (s->p < s->end) {
		if (is_space(*s->p)) {
			s->p++;
			continue;
		}
		int comment = skip_comment(s);
		if (comment < 0) {
			return false;
		}
		if (comment) {
			continue; /* perhaps at the end */
		}
		if (code_scan_at(s, "$$") || *s->p == '#') {
			return false;
		}
		/* An index, or a name in brackets: its blanks count. */
		bool index = s->p > s->begin && (is_word(s->p[-1]) || s->p[-1] == ']');
		if (*s->p == '[' && !index) {
			const char *close = memchr(s->p, ']', (size_t)(s->end - s->p));
			if (!close) {
				return false;
			}
			code_scan_put(s, CODE_STRING, s->p, close + 1);
		} else if (*s->p == '\'' || *s->p == '"' || *s->p == '`') {
			const char *close = memchr(s->p + 1, *s->p, (size_t)(s->end - s->p - 1));
			while (close && close + 1 < s->end && close[1] == *s->p) { /* doubled */
				close = memchr(close + 2, *s->p, (size_t)(s->end - close - 2));
			}
			/* Engines differ in what a backslash means. */
			if (!close || memchr(s->p, '\\', (size_t)(close - s->p))) {
				return false;
			}
			code_scan_put(s, CODE_STRING, s->p, close + 1);
		} else if (code_scan_word(s)) {
			put_word(s);
		} else if (code_scan_mark(s, joined)) {
			put_mark(s);
		} else {
			return false;
		}
	}
	if (code_scan_after(s, ";")) {
		s->to->len -= sizeof(s->last);
	}
	return s->depth == 0;
}
