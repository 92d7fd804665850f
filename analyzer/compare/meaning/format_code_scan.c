#include "analyzer/compare/meaning/format_code_scan.h"

/* An explanation in words, and nothing that a tool may read: no "#!/bin/sh", "//go:build",
 * "# type: int", "@ts-ignore". */
static bool is_plain(struct span comment)
{
	static const char marks[] = "#/-*";
	while (comment.len && *comment.data && strchr(marks, *comment.data)) {
		comment = span_from(comment, 1);
	}
	struct span words = span_trim(comment);
	size_t n = 0;
	while (n < words.len && is_word(words.data[n])) {
		n++;
	}
	bool named = n < words.len && words.data[n] && strchr(":=-", words.data[n]);
	bool apart = words.len == 0 || (is_space(*comment.data) && n > 0);
	return apart && !named && !memchr(words.data, '@', words.len);
}

void code_scan_comment(struct code_scan *s, const char *end)
{
	struct span comment = span_trim(span_between(s->p, end));
	buf_append_span(&s->comments->text, comment);
	buf_append_char(&s->comments->text, '\n');
	s->comments->special |= !is_plain(comment);
	s->p = end;
}

void code_scan_line(struct code_scan *s)
{
	if (s->any && s->last.kind != CODE_LINE) {
		s->last = (struct code_token){CODE_LINE, SPAN("\n")};
		buf_append(s->to, &s->last, sizeof(s->last));
	}
}

const char *code_scan_string(const char *p, const char *end, bool lines)
{
	for (const char *q = p + 1; q < end; q++) {
		if (*q == '\\') {
			q++;
		} else if (*q == *p) {
			return q + 1;
		} else if (*q == '\n' && !lines) {
			return NULL;
		}
	}
	return NULL;
}

bool code_scan_word(struct code_scan *s)
{
	const char *p = s->p;
	bool number = is_digit(*p) || (*p == '.' && p + 1 < s->end && is_digit(p[1]));
	if (!number && !is_word(*p) && *p != '$' && *p != '@') {
		return false;
	}
	for (p++; p < s->end; p++) {
		bool sign = number && (*p == '+' || *p == '-') && (p[-1] == 'e' || p[-1] == 'E') &&
		            !(s->p[0] == '0' && s->p + 1 < s->end && (s->p[1] | 32) == 'x');
		bool point = number && *p == '.' && !(p + 1 < s->end && p[1] == '.');
		if (!is_word(*p) && *p != '$' && !sign && !point) {
			break;
		}
	}
	code_scan_put(s, number ? CODE_NUMBER : CODE_WORD, s->p, p);
	return true;
}

bool code_scan_mark(struct code_scan *s, const char *const *joined)
{
	size_t n = 1;
	for (; *joined; joined++) {
		if (code_scan_at(s, *joined)) {
			n = strlen(*joined);
			break;
		}
	}
	char c = *s->p;
	if (n == 1 && strchr("([{", c) && c) {
		s->depth++;
	} else if (n == 1 && strchr(")]}", c) && c) {
		if (s->depth == 0) {
			return false;
		}
		s->depth--;
	}
	code_scan_put(s, CODE_MARK, s->p, s->p + n);
	return true;
}
