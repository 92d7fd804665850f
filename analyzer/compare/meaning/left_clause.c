#include "analyzer/compare/meaning/left_clause.h"

#include <string.h>

#include "base/letters.h"

#define LEFT_MAX 400 /* bytes that are looked at */

static size_t arrow(struct span s)
{
	static const char *const arrows[] = {
	        "\\implies", "\\Rightarrow", "\\Longrightarrow", "=>", "⇒", "⟹"};
	for (size_t i = 0; i < ARRAY_LEN(arrows); i++) {
		if (span_starts(s, arrows[i])) {
			return strlen(arrows[i]);
		}
	}
	return 0;
}

struct span left_clause_first(struct span s)
{
	size_t from = 0, to = s.len, depth = 0;
	for (size_t i = 0; i < s.len; i++) {
		size_t n = arrow(span_from(s, i));
		depth += s.data[i] == '{';
		depth -= s.data[i] == '}' && depth;
		if (n && depth == 0) {
			from = i + n;
			to = s.len;
			i += n - 1;
		} else if (s.data[i] == '=' && depth == 0 && to == s.len) {
			to = i;
		}
	}
	return span_trim((struct span){s.data + from, to - from});
}

/* Before the bracket that `at` closes: a comma in it parts nothing. NULL: it has none. */
static const char *before_bracket(const char *from, const char *at)
{
	size_t depth = 0;
	for (const char *p = at; p > from && at - p < LEFT_MAX && !strchr("$\n", p[-1]); p--) {
		bool formula = p - from > 1 && p[-2] == '\\' && strchr("()[]", p[-1]);
		if (formula) {
			return NULL;
		}
		depth += strchr(")]}", p[-1]) != NULL;
		depth -= strchr("([{", p[-1]) != NULL;
		if (depth == 0) {
			return p - 1;
		}
	}
	return NULL;
}

/* Before the formula that ends at `at`, so long as it says nothing of its own: "$x$ and $y$". */
static const char *before_formula(const char *from, const char *at)
{
	for (const char *p = at - 1; p > from && at - p < LEFT_MAX && !strchr("=\n", p[-1]); p--) {
		if (p[-1] == '$' || (p - from > 1 && p[-2] == '\\' && p[-1] == '(')) {
			return p - 1 - (p[-1] == '(');
		}
	}
	return NULL;
}

static bool ends_formula(const char *from, const char *at)
{
	return at > from && (at[-1] == '$' || (at - from > 1 && at[-2] == '\\' && at[-1] == ')'));
}

static bool is_border(const char *from, const char *p)
{
	bool space = p - from > 1 && p[-2] == '\\'; /* "\," */
	return strchr("$\n", p[-1]) || (strchr(",;", p[-1]) && !space) ||
	       (p - from > 1 && p[-2] == '\\' && strchr("([", p[-1])) ||
	       (is_blank(*p) && strchr(".:?", p[-1]));
}

struct span left_clause_of(const char *from, const char *end)
{
	const char *at = end - 1, *p, *next;
	while (at > from && is_blank(at[-1])) {
		at--;
	}
	bool closed = ends_formula(from, at), nested = true; /* "$x$ = 5" */
	for (p = at; p > from && at - p < LEFT_MAX; p = next) {
		next = NULL;
		if (closed && ends_formula(from, p)) {
			next = before_formula(from, p);
		} else if (nested && strchr(")]}", p[-1])) {
			next = before_bracket(from, p);
			nested =
			        next; /* so that no text is gone through for each of its brackets */
		}
		if (!next && is_border(from, p)) {
			break;
		}
		next = next ? next : p - 1;
	}
	return span_between(p, at);
}

/* "$$" on a line of its own opens a formula, and the next one ends it. */
static bool is_open(struct span before)
{
	bool open = false;
	if (before.len > 1 && memcmp(before.data + before.len - 2, "$$", 2) == 0) {
		for (size_t i = 0; i + 1 < before.len; i++) {
			if (before.data[i] == '$' && before.data[i + 1] == '$') {
				open = !open;
				i++;
			}
		}
	}
	return open;
}

bool left_clause_in_formula(const char *from, const char *at)
{
	size_t signs = 0;
	const char *p = at;
	for (; p > from && p[-1] != '\n'; p--) {
		signs += p[-1] == '$' && !(p - from > 1 && p[-2] == '$');
		if (p - from > 1 && p[-2] == '\\' && p[-1] && strchr("([)]", p[-1])) {
			return strchr("([", p[-1]);
		}
	}
	if (signs) {
		return signs % 2;
	}
	struct span before = span_trim(span_between(from, p));
	const char *last = before.data + before.len;
	if (before.len < 2 || (last[-2] == '\\' && strchr("[\\", last[-1]))) {
		return before.len > 1;
	}
	const char *begin = last[-1] == '}' ? memrchr(before.data, '\\', before.len) : NULL;
	return begin ? span_starts(span_between(begin, last), "\\begin{") : is_open(before);
}
