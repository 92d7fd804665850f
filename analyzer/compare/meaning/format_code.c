#include "analyzer/compare/meaning/format_code.h"

#include "analyzer/compare/meaning/format_code_scan.h"
#include "analyzer/compare/meaning/number.h"

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
        {"sh", CODE_SHELL}, {"shell", CODE_SHELL}, {"zsh", CODE_SHELL}};

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

static bool is_equal(const struct code_token *a, const struct code_token *b)
{
	return a->kind == b->kind && span_equal(a->text, b->text);
}

/* Operators of which each gives another result than the others. */
static bool is_operator(const struct code_token *t)
{
	static const char *const marks[] = {"+", "-", "*", "/", "%", "<", "<=", ">",
	        ">=", "==", "!=", "&&", "||", "++", "--", "+=", "-="};
	return t->kind == CODE_MARK && span_in(t->text, marks, ARRAY_LEN(marks));
}

static bool is_unequal(const struct code_token *a, const struct code_token *b)
{
	struct number x, y;
	if (a->kind != CODE_NUMBER || b->kind != CODE_NUMBER) {
		return is_operator(a) && is_operator(b);
	}
	return number_read(a->text, &x) == a->text.len && number_read(b->text, &y) == b->text.len &&
	       number_agreement(&x, &y, false) == AGREE_CHANGED;
}

static const struct code_token *tokens_of(const struct buf *b, size_t *ret_n)
{
	*ret_n = b->len / sizeof(struct code_token);
	return (const struct code_token *)(const void *)b->data;
}

/* The same tokens; or the same but for one number or operator. */
static enum agreement compare_tokens(const struct buf *a, const struct buf *b)
{
	size_t n, m, differ = 0;
	const struct code_token *s = tokens_of(a, &n), *t = tokens_of(b, &m);
	if (n != m) {
		return AGREE_UNDECIDED;
	}
	for (size_t i = 0; i < n; i++) {
		if (is_equal(&s[i], &t[i])) {
			continue;
		}
		if (differ++ || !is_unequal(&s[i], &t[i])) {
			return AGREE_UNDECIDED;
		}
	}
	return differ ? AGREE_CHANGED : AGREE_SAME;
}

/* One side may leave its comments out, unless a tool may read them. */
static bool comments_agree(const struct code_comments *a, const struct code_comments *b)
{
	struct span x = buf_span(&a->text), y = buf_span(&b->text);
	bool left_out = (x.len == 0 && !b->special) || (y.len == 0 && !a->special);
	return left_out || span_equal(x, y);
}

enum agreement code_agreement(struct span a, struct span b, enum code_language l)
{
	struct buf x = {0}, y = {0};
	struct code_comments of_a = {0}, of_b = {0};
	enum agreement agreement = same_lines(a, b) ? AGREE_SAME : AGREE_UNDECIDED;
	if (l != CODE_UNKNOWN && code_tokens_read(a, l, &x, &of_a) &&
	        code_tokens_read(b, l, &y, &of_b)) {
		agreement = compare_tokens(&x, &y);
		agreement =
		        comments_agree(&of_a, &of_b) ? agreement : MAX(agreement, AGREE_UNDECIDED);
	}
	buf_finish(&x);
	buf_finish(&y);
	buf_finish(&of_a.text);
	buf_finish(&of_b.text);
	return agreement;
}
