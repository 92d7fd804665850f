#include "analyzer/compare/meaning/calls.h"

#include <stdlib.h>

#include "analyzer/compare/meaning/format_json.h"
#include "answers/canonical.h"
#include "base/ascii.h"
#include "base/json.h"
#include "base/mem.h"

/* A call as "name\0arguments". */
struct entry {
	size_t from, len, name_len;
};

struct side {
	const struct choice *choice;
	struct buf text;
	struct entry *entries;
	size_t n;
};

static struct span arguments_of(const struct tool_call *call)
{
	struct span s = span_trim(span_of(call->arguments));
	return s.len ? s : SPAN("{}");
}

/* The canonical form, or the arguments themselves if they have none. */
static struct span form_of(struct canonical *c, struct span arguments)
{
	struct json j;
	struct json_token first = json_begin(&j, arguments);
	struct span form = canonical_value(c, &j, &first);
	bool whole = form.len && json_next(&j).type == JSON_TOKEN_END && !c->repeats && !c->lossy;
	return whole ? form : arguments;
}

static void fill(struct side *s, const struct choice *c)
{
	struct canonical canonical = {0};
	*s = (struct side){.choice = c, .n = c->n_calls};
	s->entries = xcalloc(s->n + 1, sizeof(*s->entries));
	for (size_t i = 0; i < s->n; i++) {
		struct span name = span_of(c->calls[i].name);
		struct entry *e = &s->entries[i];
		e->from = s->text.len;
		e->name_len = name.len + 1;
		buf_append_span(&s->text, name);
		buf_append_char(&s->text, '\0');
		buf_append_span(&s->text, form_of(&canonical, arguments_of(&c->calls[i])));
		e->len = s->text.len - e->from;
	}
	canonical_finish(&canonical);
}

static void finish(struct side *s)
{
	buf_finish(&s->text);
	free(s->entries);
}

static struct span entry_span(const struct side *s, size_t i, bool name_only)
{
	const struct entry *e = &s->entries[i];
	return (struct span){s->text.data + e->from, name_only ? e->name_len : e->len};
}

/* Counts the calls that both sides have. Each call is matched at most once. */
static uint32_t count_common(const struct side *a, const struct side *b, bool name_only)
{
	bool used[READING_CALLS_LIMIT] = {false};
	uint32_t n = 0;
	for (size_t i = 0; i < a->n; i++) {
		struct span first = entry_span(a, i, name_only);
		size_t k = 0;
		while (k < b->n && (used[k] || !span_equal(first, entry_span(b, k, name_only)))) {
			k++;
		}
		if (k < b->n) {
			used[k] = true;
			n++;
		}
	}
	return n;
}

static char plain(char c)
{
	return c == '\'' ? '"' : to_lower(c);
}

/* Whether both spell one value, in JSON or in Python, or as a text: [1, 'x'] and [1,"x"]. */
static bool spell_same(struct span a, struct span b)
{
	struct span none = SPAN("None"), null = SPAN("null");
	a = span_equal(a, none) ? null : a;
	b = span_equal(b, none) ? null : b;
	size_t i = 0, k = 0;
	for (;; i++, k++) {
		while (i < a.len && is_space(a.data[i])) {
			i++;
		}
		while (k < b.len && is_space(b.data[k])) {
			k++;
		}
		if (i == a.len || k == b.len) {
			return i == a.len && k == b.len;
		}
		if (plain(a.data[i]) != plain(b.data[k])) {
			return false;
		}
	}
}

static bool same_but_for_type(const struct json_member *a, const struct json_member *b)
{
	bool is_text = a->first.type == JSON_TOKEN_STRING,
	     other = b->first.type == JSON_TOKEN_STRING;
	struct buf text = {0};
	if (is_text) {
		json_token_unescape(&a->first, &text);
	}
	size_t n = text.len;
	if (other) {
		json_token_unescape(&b->first, &text);
	}
	struct span x = is_text ? buf_part(&text, 0, n) : a->value;
	struct span y = other ? buf_part(&text, n, text.len) : b->value;
	bool same = is_text != other ? spell_same(x, y)
	            : is_text        ? span_equal(span_trim(x), span_trim(y))
	                             : format_json_agreement(x, y) == AGREE_SAME;
	buf_finish(&text);
	return same;
}

/*
 * Whether the arguments of two calls differ, but perhaps only in the types of their values: 1.10 and
 * 1.1 are one number, but two texts. Most forms of calls in a text do not state types: engines that
 * know such a form use the function's schema.
 */
static bool differ_in_types(struct span a, struct span b)
{
	struct canonical first = {.keeps_numbers = true}, second = {.keeps_numbers = true};
	struct json x, y;
	struct json_member m, n;
	a = form_of(&first, a);
	b = form_of(&second, b);
	json_init(&x, a.data, a.len);
	json_init(&y, b.data, b.len);
	bool same = !span_equal(a, b) && json_next(&x).type == JSON_TOKEN_OBJECT &&
	            json_next(&y).type == JSON_TOKEN_OBJECT;
	while (same && json_next_member(&x, &m)) {
		same = json_next_member(&y, &n) &&
		       span_equal(json_token_raw(&m.key), json_token_raw(&n.key)) &&
		       same_but_for_type(&m, &n);
	}
	same = same && !json_next_member(&y, &n);
	canonical_finish(&first);
	canonical_finish(&second);
	return same;
}

/* Compares the calls pairwise, in the order in which they were made. */
static enum agreement in_order(
        const struct side *a, const struct side *b, const struct tools *tools, enum rung *ret_rung)
{
	enum agreement worst = AGREE_SAME;
	*ret_rung = RUNG_BYTES;
	for (size_t i = 0; i < a->n; i++) {
		const struct tool_call *x = &a->choice->calls[i], *y = &b->choice->calls[i];
		if (!span_equal(span_of(x->name), span_of(y->name))) {
			return AGREE_CHANGED;
		}
		if (!span_equal(span_of(x->arguments), span_of(y->arguments))) {
			*ret_rung = RUNG_STRUCTURE;
		}
		struct span first = arguments_of(x), second = arguments_of(y);
		enum agreement here = AGREE_SAME;
		if (!span_equal(entry_span(a, i, false), entry_span(b, i, false))) {
			here = MAX(format_json_agreement(first, second), AGREE_UNDECIDED);
			if (tools && tools_by_default(tools, span_of(x->name), first, second)) {
				here = AGREE_UNDECIDED;
			}
		}
		if ((x->in_text || y->in_text) && differ_in_types(first, second)) {
			here = AGREE_UNDECIDED;
		}
		worst = MAX(worst, here);
	}
	return worst;
}

static void check(const struct choice *c, const struct tools *tools, uint32_t *ret_checked,
        uint32_t *ret_valid)
{
	for (size_t i = 0; i < c->n_calls; i++) {
		enum schema_verdict verdict =
		        tools_check(tools, span_of(c->calls[i].name), arguments_of(&c->calls[i]));
		*ret_checked += verdict != SCHEMA_UNKNOWN;
		*ret_valid += verdict == SCHEMA_CONFORMS;
	}
}

void calls_compare(const struct choice *base, const struct choice *test, const struct tools *tools,
        struct calls_difference *ret)
{
	struct side a, b;
	*ret = (struct calls_difference){.base = (uint32_t)base->n_calls,
	        .test = (uint32_t)test->n_calls,
	        .agreement = AGREE_SAME};
	if (base->n_calls == 0 && test->n_calls == 0) {
		return;
	}
	if (tools) {
		check(base, tools, &ret->base_checked, &ret->base_valid);
		check(test, tools, &ret->test_checked, &ret->test_valid);
	}
	fill(&a, base);
	fill(&b, test);
	enum agreement ordered = AGREE_CHANGED;
	if (a.n == b.n) {
		ordered = in_order(&a, &b, tools, &ret->rung);
	}
	ret->matched = count_common(&a, &b, false);
	ret->named = count_common(&a, &b, true);
	bool all = ret->matched == a.n && a.n == b.n;
	ret->agreement = all && ordered != AGREE_SAME ? AGREE_UNDECIDED : ordered;
	ret->rung = ordered == AGREE_SAME ? ret->rung : RUNG_DIFFERENT;
	finish(&a);
	finish(&b);
}
