#include "analyzer/compare/meaning/format_code_scan.h"

#define MARKS "|&;<>()"

/* The end of a word: quoted parts and what a backslash escapes belong to it. NULL: no telling. */
static const char *word_end(const char *p, const char *end)
{
	while (p < end && !is_space(*p) && !(*p && strchr(MARKS, *p))) {
		if (*p == '\\') {
			p += 1 + (p + 1 < end);
		} else if (*p == '\'') {
			const char *close = memchr(p + 1, '\'', (size_t)(end - p - 1));
			if (!close) {
				return NULL;
			}
			p = close + 1;
		} else if (*p == '"') {
			const char *close = code_scan_string(p, end, true);
			if (!close || memmem(p, (size_t)(close - p), "$(", 2) ||
			        memchr(p, '`', (size_t)(close - p))) {
				return NULL;
			}
			p = close;
		} else if (*p == '`' || (*p == '$' && p + 1 < end && strchr("({'", p[1]))) {
			return NULL;
		} else {
			p++;
		}
	}
	return p;
}

static bool has_any(struct span s, const char *marks)
{
	for (size_t i = 0; i < s.len; i++) {
		if (s.data[i] && strchr(marks, s.data[i])) {
			return true;
		}
	}
	return false;
}

/* Of plain characters, and nothing that the shell reads unless it is quoted. */
static bool is_bare(struct span s)
{
	static const char *const reserved[] = {"case", "coproc", "do", "done", "elif", "else",
	        "esac", "fi", "for", "function", "if", "in", "select", "then", "time", "until",
	        "while"};
	for (size_t i = 0; i < s.len; i++) {
		if (!is_alnum(s.data[i]) && !has_any((struct span){s.data + i, 1}, "_./-:@%+,")) {
			return false;
		}
	}
	return s.len > 0 && !span_in(s, reserved, ARRAY_LEN(reserved));
}

/* A word that is one quotation, in which nothing is special, is what stands in it, whichever its
 * marks are; without them too, if it is of plain characters. */
static void put_word(struct code_scan *s, const char *to)
{
	struct span inside = to - s->p > 2 ? span_between(s->p + 1, to - 1) : (struct span){0};
	/* Behind "=~" a point is any character, unless it is quoted. */
	bool pattern = s->any && span_same(s->last.text, "=~");
	bool quoted = inside.len && (*s->p == '"' || *s->p == '\'') && to[-1] == *s->p &&
	              !pattern && !has_any(inside, "\"'$`\\!");
	if (!quoted) {
		code_scan_put(s, CODE_WORD, s->p, to);
		return;
	}
	code_scan_put(s, is_bare(inside) ? CODE_WORD : CODE_STRING, inside.data,
	        inside.data + inside.len);
	s->p = to;
}

bool code_shell_read(struct code_scan *s)
{
	while (s->p < s->end) {
		char c = *s->p;
		if (c == '\n') {
			code_scan_line(s);
			s->p++;
		} else if (is_space(c)) {
			s->p++;
		} else if (c == '\\' && s->p + 1 < s->end && s->p[1] == '\n') {
			s->p += 2;
		} else if (c == '#') {
			code_scan_comment(s, code_scan_line_end(s->p, s->end));
		} else if (c && strchr(MARKS, c)) {
			const char *q = s->p + 1;
			while (q < s->end && *q == c && c != '(' && c != ')') {
				q++;
			}
			/* ">&", "&>": with what follows at once, and "<<" begins a document. */
			while (q < s->end && *q && strchr("<>&|", *q) && c != '(' && c != ')') {
				q++;
			}
			bool redirects = c == '<' || c == '>';
			if (code_scan_at(s, "<<") || (redirects && q < s->end && *q == '(')) {
				return false;
			}
			/* "2>x" and "2 >x" are two things. */
			bool numbered = redirects && s->p > s->begin && is_digit(s->p[-1]);
			code_scan_put(s, numbered ? CODE_NUMBER : CODE_MARK, s->p, q);
		} else {
			const char *q = word_end(s->p, s->end);
			if (!q) {
				return false;
			}
			put_word(s, q);
		}
	}
	return true;
}
