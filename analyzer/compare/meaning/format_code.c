#include "analyzer/compare/meaning/format_code.h"

#include <string.h>

#include "analyzer/compare/meaning/format_code_tokens.h"
#include "analyzer/compare/meaning/number.h"
#include "base/ascii.h"

enum code_language code_language_of(struct span label)
{
	static const struct {
		const char *label;
		enum code_language language;
	} labels[] = {{"python", CODE_PYTHON}, {"py", CODE_PYTHON}, {"python3", CODE_PYTHON},
	        {"c", CODE_C}, {"cpp", CODE_C}, {"c++", CODE_C}, {"java", CODE_C},
	        {"csharp", CODE_C}, {"cs", CODE_C}, {"rust", CODE_C}, {"javascript", CODE_LINES},
	        {"js", CODE_LINES}, {"typescript", CODE_LINES}, {"ts", CODE_LINES},
	        {"jsx", CODE_LINES}, {"tsx", CODE_LINES}, {"go", CODE_LINES},
	        {"kotlin", CODE_LINES}, {"swift", CODE_LINES}};
	for (size_t i = 0; i < ARRAY_LEN(labels); i++) {
		if (span_is_nocase(label, labels[i].label)) {
			return labels[i].language;
		}
	}
	return CODE_UNKNOWN;
}

static struct span without_end(struct span s)
{
	while (s.len && is_space(s.data[s.len - 1])) {
		s.len--;
	}
	return s;
}

/* Takes the next line off *rest and returns it without trailing white space. */
static struct span next_line(struct span *rest)
{
	const char *end = rest->data + rest->len;
	const char *feed = rest->len ? memchr(rest->data, '\n', rest->len) : NULL;
	struct span line = span_between(rest->data, feed ? feed : end);
	*rest = span_between(feed ? feed + 1 : end, end);
	return without_end(line);
}

/* Ignores empty lines before and after the code, but not within it: those may belong to a
 * string. */
static bool same_lines(struct span a, struct span b)
{
	struct span x = {0}, y = {0};
	a = without_end(a);
	b = without_end(b);
	while (a.len && x.len == 0) {
		x = next_line(&a);
	}
	while (b.len && y.len == 0) {
		y = next_line(&b);
	}
	while (span_equal(x, y) && a.len && b.len) {
		x = next_line(&a);
		y = next_line(&b);
	}
	return span_equal(x, y) && a.len == 0 && b.len == 0;
}

/* Operators that cannot replace each other without changing the result. */
static bool is_operator(const struct code_token *t)
{
	static const char *const marks[] = {"+", "-", "*", "/", "%", "<", "<=", ">",
	        ">=", "==", "!=", "&&", "||", "++", "--", "+=", "-="};
	return t->kind == CODE_MARK && span_in(t->text, marks, ARRAY_LEN(marks));
}

static bool are_unequal(const struct code_token *a, const struct code_token *b)
{
	struct number x, y;
	if (a->kind != CODE_NUMBER || b->kind != CODE_NUMBER) {
		return is_operator(a) && is_operator(b);
	}
	return number_read(a->text, &x) == a->text.len && number_read(b->text, &y) == b->text.len &&
	       number_agreement(&x, &y, false) == AGREE_CHANGED;
}

static const struct code_token *items_of(const struct code_tokens *t, size_t *ret_n)
{
	*ret_n = t->items.len / sizeof(struct code_token);
	return (const struct code_token *)(const void *)t->items.data;
}

/* Equal tokens agree. Tokens that are equal except for one number or operator are a change.
 * Anything else is undecided. */
static enum agreement compare_tokens(const struct code_tokens *a, const struct code_tokens *b)
{
	size_t n, m, differ = 0;
	const struct code_token *s = items_of(a, &n), *t = items_of(b, &m);
	for (size_t i = 0; i < n && n == m; i++) {
		if (s[i].kind != t[i].kind || !span_equal(s[i].text, t[i].text)) {
			differ++;
			if (differ > 1 || !are_unequal(&s[i], &t[i])) {
				return AGREE_UNDECIDED;
			}
		}
	}
	return n != m ? AGREE_UNDECIDED : differ ? AGREE_CHANGED : AGREE_SAME;
}

/* The comments are equal, or one side has none and no tool reads the other side's. */
static bool comments_agree(const struct code_tokens *a, const struct code_tokens *b)
{
	struct span x = buf_span(&a->comments), y = buf_span(&b->comments);
	bool left_out = (x.len == 0 && !b->special) || (y.len == 0 && !a->special);
	return left_out || span_equal(x, y);
}

enum agreement code_agreement(struct span a, struct span b, enum code_language l)
{
	struct code_tokens x = {0}, y = {0};
	enum agreement agreement = same_lines(a, b) ? AGREE_SAME : AGREE_UNDECIDED;
	if (l != CODE_UNKNOWN && code_tokens_read(a, l, &x) && code_tokens_read(b, l, &y)) {
		agreement = compare_tokens(&x, &y);
		agreement = comments_agree(&x, &y) ? agreement : MAX(agreement, AGREE_UNDECIDED);
	}
	code_tokens_finish(&x);
	code_tokens_finish(&y);
	return agreement;
}
