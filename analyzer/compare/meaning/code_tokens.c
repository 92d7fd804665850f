#include "analyzer/compare/meaning/code_tokens.h"

#include "analyzer/compare/meaning/code_quiet.h"
#include "analyzer/compare/meaning/code_scan.h"
#include "base/json.h"
#include "reading/canonical.h"

#define RENAMES_MAX 64 /* names that may be exchanged */
#define EDIT_TOKENS 16 /* an edit of so many is one, whatever the code's size */

static const struct {
	const char *label;
	enum code_language language;
} labels[] = {{"python", CODE_PYTHON}, {"py", CODE_PYTHON}, {"python3", CODE_PYTHON}, {"c", CODE_C},
        {"cpp", CODE_C}, {"c++", CODE_C}, {"cc", CODE_C}, {"h", CODE_C}, {"java", CODE_C},
        {"csharp", CODE_C}, {"cs", CODE_C}, {"c#", CODE_C}, {"rust", CODE_C}, {"rs", CODE_C},
        {"javascript", CODE_SCRIPT}, {"js", CODE_SCRIPT}, {"typescript", CODE_SCRIPT},
        {"ts", CODE_SCRIPT}, {"jsx", CODE_SCRIPT}, {"tsx", CODE_SCRIPT}, {"go", CODE_GO},
        {"golang", CODE_GO}, {"kotlin", CODE_GO}, {"swift", CODE_GO}, {"sql", CODE_SQL},
        {"postgresql", CODE_SQL}, {"mysql", CODE_SQL}, {"sqlite", CODE_SQL}, {"bash", CODE_SHELL},
        {"sh", CODE_SHELL}, {"shell", CODE_SHELL}, {"zsh", CODE_SHELL}, {"json", CODE_JSON}};

enum code_language code_language_of(struct span label)
{
	for (size_t i = 0; i < ARRAY_LEN(labels); i++) {
		if (span_is_nocase(label, labels[i].label)) {
			return labels[i].language;
		}
	}
	return CODE_UNKNOWN;
}

bool code_tokens_read(
        struct span code, enum code_language l, struct buf *to, struct code_comments *comments)
{
	struct code_scan s = {.begin = code.data,
	        .p = code.data,
	        .end = code.data + code.len,
	        .to = to,
	        .comments = comments};
	if (code.len == 0) {
		return true;
	}
	/* A lone carriage return ends a line for some; the ladder has made line feeds of them. */
	if (memchr(code.data, '\r', code.len) || memchr(code.data, '\0', code.len)) {
		return false;
	}
	size_t from = to->len;
	bool read = false;
	switch (l) {
	case CODE_PYTHON:
		read = code_python_read(&s);
		break;
	case CODE_C:
	case CODE_SCRIPT:
	case CODE_GO:
		read = code_c_read(&s, l);
		break;
	case CODE_SQL:
		read = code_sql_read(&s);
		break;
	case CODE_SHELL:
		read = code_shell_read(&s);
		break;
	case CODE_JSON:
	case CODE_UNKNOWN:
		break;
	}
	/* What stands at the end ends nothing. */
	while (read && to->len > from && l != CODE_SQL) {
		const struct code_token *t =
		        (const struct code_token *)(void *)(to->data + to->len) - 1;
		if (t->kind != CODE_LINE) {
			break;
		}
		to->len -= sizeof(*t);
	}
	return read;
}

/* The next line that is not empty, without the space at its end. */
static bool next_line(struct span *rest, struct span *ret)
{
	while (rest->len) {
		const char *end = rest->data + rest->len;
		const char *feed = code_scan_line_end(rest->data, end);
		struct span line = span_between(rest->data, feed);
		*rest = span_between(feed < end ? feed + 1 : feed, end);
		while (line.len && is_space(line.data[line.len - 1])) {
			line.len--;
		}
		if (line.len) {
			*ret = line;
			return true;
		}
	}
	return false;
}

/* Empty lines between count: they may be in a string. Those around do not. */
static bool same_lines(struct span a, struct span b)
{
	struct span x = {0}, y = {0};
	size_t gap_a = 0, gap_b = 0;
	for (bool first = true;; first = false) {
		const char *from_a = a.data, *from_b = b.data;
		bool more_a = next_line(&a, &x), more_b = next_line(&b, &y);
		if (!more_a || !more_b) {
			return more_a == more_b;
		}
		gap_a = (size_t)(x.data - from_a);
		gap_b = (size_t)(y.data - from_b);
		bool feed_a = memchr(from_a, '\n', gap_a), feed_b = memchr(from_b, '\n', gap_b);
		if (!span_equal(x, y) || (!first && feed_a != feed_b)) {
			return false;
		}
	}
}

static bool json_form(struct canonical *c, struct span text, struct span *ret)
{
	struct json j;
	json_init(&j, text.data, text.len);
	struct json_token first = json_next(&j);
	*ret = canonical_value(c, &j, &first);
	return ret->len && json_next(&j).type == JSON_END;
}

static enum agreement compare_json(struct span a, struct span b)
{
	struct canonical x = {0}, y = {0};
	struct span s, t;
	enum agreement agreement = AGREE_UNDECIDED;
	if (json_form(&x, a, &s) && json_form(&y, b, &t)) {
		bool repeats = x.repeats || y.repeats;
		agreement = !span_equal(s, t) ? AGREE_CHANGED
		            : repeats         ? AGREE_UNDECIDED
		                              : AGREE_SAME;
	} else if (same_lines(a, b)) {
		agreement = AGREE_SAME;
	}
	canonical_finish(&x);
	canonical_finish(&y);
	return agreement;
}

static bool is_equal(const struct code_token *a, const struct code_token *b)
{
	return a->kind == b->kind && span_equal(a->text, b->text);
}

/* Words that are no names in most languages. */
static bool is_reserved(struct span word)
{
	static const char *const words[] = {"true", "false", "none", "null", "and", "or", "not",
	        "if", "else", "elif", "while", "for", "in", "is", "return", "break", "continue",
	        "yield", "raise", "throw", "int", "float", "double", "char", "long", "asc", "desc",
	        "min", "max", "sum", "avg", "count", "left", "right", "inner", "outer", "union",
	        "distinct"};
	return span_in(word, words, ARRAY_LEN(words));
}

/* Whether the tokens differ in words only, each always in the same way. */
static bool is_renamed(const struct code_token *a, const struct code_token *b, size_t n)
{
	const struct code_token *from[RENAMES_MAX], *to[RENAMES_MAX];
	size_t names = 0, differ = 0;
	for (size_t i = 0; i < n; i++) {
		if (a[i].kind != CODE_WORD || b[i].kind != CODE_WORD) {
			if (!is_equal(&a[i], &b[i])) {
				return false;
			}
			continue;
		}
		bool equal = is_equal(&a[i], &b[i]);
		if (!equal && (is_reserved(a[i].text) || is_reserved(b[i].text))) {
			return false;
		}
		size_t k = 0;
		while (k < names && !span_equal(from[k]->text, a[i].text) &&
		        !span_equal(to[k]->text, b[i].text)) {
			k++;
		}
		if (k < names) {
			if (!span_equal(from[k]->text, a[i].text) ||
			        !span_equal(to[k]->text, b[i].text)) {
				return false;
			}
		} else if (!equal) {
			if (names == RENAMES_MAX) {
				return false;
			}
			from[names] = &a[i];
			to[names++] = &b[i];
		}
		differ += !equal;
	}
	return differ > 0;
}

static enum agreement compare_tokens(const struct code_token *a, size_t n_a,
        const struct code_token *b, size_t n_b, enum code_language l)
{
	size_t same = 0;
	while (same < n_a && same < n_b && is_equal(&a[same], &b[same])) {
		same++;
	}
	if (same == n_a && same == n_b) {
		return AGREE_SAME;
	}
	/* A shell's words are no names. */
	if (n_a == n_b && l != CODE_SHELL && is_renamed(a, b, n_a)) {
		return AGREE_UNDECIDED;
	}
	size_t left_a = n_a - same, left_b = n_b - same;
	while (left_a && left_b && is_equal(&a[n_a - 1], &b[n_b - 1])) {
		n_a--;
		n_b--;
		left_a--;
		left_b--;
	}
	size_t edit = MAX(left_a, left_b), all = MAX(n_a, n_b);
	return edit <= EDIT_TOKENS || edit * 4 <= all ? AGREE_CHANGED : AGREE_UNDECIDED;
}

/* Of a language that is not known nothing is left out, and nothing is known of comments and strings:
 * an edit tells only where there can be none. */
static bool read_unknown(struct span code, struct buf *to)
{
	static const char *const none[] = {NULL};
	struct code_scan s = {
	        .begin = code.data, .p = code.data, .end = code.data + code.len, .to = to};
	for (size_t i = 0; i < code.len; i++) {
		if (code.data[i] == '\0' || strchr("#\"'`;%\\", code.data[i])) {
			return false;
		}
	}
	while (s.p < s.end) {
		if (code_scan_at(&s, "//") || code_scan_at(&s, "--") || code_scan_at(&s, "/*")) {
			return false;
		}
		if (is_space(*s.p)) {
			s.p++;
		} else if (!code_scan_word(&s) && !code_scan_mark(&s, none)) {
			return false;
		}
	}
	return true;
}

static enum agreement compare_unknown(struct span a, struct span b)
{
	struct buf x = {0}, y = {0};
	enum agreement agreement = AGREE_UNDECIDED;
	if (same_lines(a, b)) {
		return AGREE_SAME;
	}
	if (read_unknown(a, &x) && read_unknown(b, &y) && x.len && y.len) {
		agreement = compare_tokens((const struct code_token *)(void *)x.data,
		        x.len / sizeof(struct code_token),
		        (const struct code_token *)(void *)y.data,
		        y.len / sizeof(struct code_token), CODE_UNKNOWN);
		/* The same but for spacing, which may matter. */
		agreement = MAX(agreement, AGREE_UNDECIDED);
	}
	buf_finish(&x);
	buf_finish(&y);
	return agreement;
}

/* "#!/usr/bin/env python3": a comment that says what the program is. */
static struct span interpreter(struct span code)
{
	code = span_trim(code);
	const char *end = code_scan_line_end(code.data, code.data + code.len);
	return span_starts(code, "#!") ? span_trim(span_between(code.data, end))
	                               : (struct span){code.data, 0};
}

static const struct code_token *tokens_of(const struct buf *b, size_t *ret_n)
{
	*ret_n = b->len / sizeof(struct code_token);
	return (const struct code_token *)(const void *)b->data;
}

/* They differ only in what explains, or annotates. */
static bool same_but_quiet(const struct buf *a, const struct buf *b, enum code_language l)
{
	size_t n, m, i = 0;
	struct buf x = {0}, y = {0};
	const struct code_token *s = tokens_of(a, &n), *t = tokens_of(b, &m);
	code_quiet(s, n, l, &x);
	code_quiet(t, m, l, &y);
	s = tokens_of(&x, &n);
	t = tokens_of(&y, &m);
	while (i < n && i < m && is_equal(&s[i], &t[i])) {
		i++;
	}
	bool same = i == n && i == m;
	buf_finish(&x);
	buf_finish(&y);
	return same;
}

enum agreement code_agreement(struct span a, struct span b, enum code_language l)
{
	if (l == CODE_JSON) {
		return compare_json(a, b);
	}
	struct buf x = {0}, y = {0};
	struct code_comments of_a = {0}, of_b = {0};
	enum agreement agreement;
	if (l != CODE_UNKNOWN && code_tokens_read(a, l, &x, &of_a) &&
	        code_tokens_read(b, l, &y, &of_b)) {
		size_t n, m;
		const struct code_token *s = tokens_of(&x, &n), *t = tokens_of(&y, &m);
		agreement = compare_tokens(s, n, t, m, l);
		agreement = code_comments_agree(&of_a, &of_b) ? agreement
		                                              : MAX(agreement, AGREE_UNDECIDED);
		if (agreement == AGREE_CHANGED && l != CODE_SHELL && same_but_quiet(&x, &y, l)) {
			agreement = AGREE_UNDECIDED;
		}
	} else {
		agreement = l == CODE_UNKNOWN  ? compare_unknown(a, b)
		            : same_lines(a, b) ? AGREE_SAME
		                               : AGREE_UNDECIDED;
	}
	buf_finish(&x);
	buf_finish(&y);
	bool alike = span_equal(interpreter(a), interpreter(b));
	code_comments_finish(&of_a);
	code_comments_finish(&of_b);
	return alike ? agreement : MAX(agreement, AGREE_UNDECIDED);
}
