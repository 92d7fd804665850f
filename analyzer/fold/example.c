#include "analyzer/fold/example.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/utf8.h"

#define BEFORE_BYTES 56
#define AFTER_CHARACTERS 56
#define TOKEN_CHARACTERS 18

/* Control characters (C0 and C1) and those that change the direction of writing must not reach a
 * terminal. */
static bool is_harmful(const char *p, size_t n)
{
	const unsigned char *u = (const unsigned char *)p;
	if (n == 1) {
		return u[0] < ' ' || u[0] == 0x7f;
	}
	if (n == 2) {
		return u[0] == 0xc2 && u[1] < 0xa0;
	}
	return n == 3 && u[0] == 0xe2 &&
	       ((u[1] == 0x80 && (u[2] >= 0xaa || (u[2] >= 0x8b && u[2] <= 0x8f))) ||
	               (u[1] == 0x81 && u[2] >= 0xa6 && u[2] <= 0xa9));
}

/* Copies the character at p in a form that is safe to show. Returns how many bytes of s it
 * takes. */
static size_t show_character(const char *p, const char *end, char ret[8])
{
	size_t n = utf8_length(p, end);
	if (n == 0) {
		snprintf(ret, 8, "\\x%02x", (unsigned char)*p);
		return 1;
	}
	if (*p == '\n' || *p == '\t' || *p == '\r') {
		snprintf(ret, 8, "\\%c", *p == '\n' ? 'n' : *p == '\t' ? 't' : 'r');
	} else if (is_harmful(p, n)) {
		snprintf(ret, 8, "?");
	} else {
		memcpy(ret, p, n);
		ret[n] = '\0';
	}
	return n;
}

/* size: at least 4 bytes for each character, and 4 for the mark that shows a cut. */
static void show(struct span s, size_t characters, char *to, size_t size)
{
	const char *p = s.data, *end = s.data + s.len;
	size_t len = 0;
	to[0] = '\0';
	for (size_t n = 0; p < end; n++) {
		char one[8];
		if (n >= characters || len + sizeof(one) + 4 > size) {
			memcpy(to + len, "…", sizeof("…"));
			return;
		}
		p += show_character(p, end, one);
		size_t took = strlen(one);
		memcpy(to + len, one, took + 1);
		len += took;
	}
}

static void show_before(struct span all, size_t until, char to[EXAMPLE_TEXT_SIZE])
{
	size_t from = until > BEFORE_BYTES ? until - BEFORE_BYTES : 0;
	while (from > 0 && from < until && ((unsigned char)all.data[from] & 0xc0) == 0x80) {
		from++;
	}
	size_t mark = from > 0 ? strlen("…") : 0;
	memcpy(to, "…", mark);
	show((struct span){all.data + from, until - from}, SIZE_MAX, to + mark,
	        EXAMPLE_TEXT_SIZE - mark);
}

static size_t begin_of(const struct columns *c, uint32_t token)
{
	return token ? c->bytes_end[token - 1] : 0;
}

static struct span bytes_from(const struct columns *c, size_t from)
{
	return (struct span){c->bytes + from, c->bytes_end[c->n - 1] - from};
}

/* What a side's logprobs say about a given token text at one position. */
struct token_view {
	float logprob; /* from its list, or as the token that it chose; NaN: none */
	bool has;      /* the side lists or chose it, with or without a logprob */
	uint32_t best; /* row of the most probable alternative */
	bool has_list;
	float least; /* least logprob of its list; NaN if there is none */
};

static struct token_view view_of(const struct columns *c, uint32_t token, struct span bytes)
{
	bool chosen = span_equal(columns_token(c, token), bytes);
	struct token_view o = {.logprob = NAN, .has = chosen, .least = NAN};
	for (uint32_t row = token ? c->top_end[token - 1] : 0; row < c->top_end[token]; row++) {
		float lp = c->top_lp[row];
		bool own = span_equal(columns_top_token(c, row), bytes);
		o.has |= own;
		if (!isfinite(lp)) {
			continue;
		}
		o.logprob = own && isnan(o.logprob) ? lp : o.logprob;
		o.best = !o.has_list || lp > c->top_lp[o.best] ? row : o.best;
		o.has_list = true;
		o.least = fminf(o.least, lp);
	}
	if (isnan(o.logprob) && chosen && isfinite(c->lp[token])) {
		o.logprob = c->lp[token];
	}
	return o;
}

static void fill_side(
        struct example_side *to, const struct columns *c, uint32_t token, struct span other)
{
	struct span chosen = columns_token(c, token);
	struct token_view own = view_of(c, token, chosen), others = view_of(c, token, other);
	show(chosen, TOKEN_CHARACTERS, to->token, sizeof(to->token));
	to->logprob = own.logprob;
	to->of_other = others.logprob;
	to->has_other = others.has;
	to->not_best = (c->flags[token] & TOKEN_NOT_TOP) != 0;
	to->best[0] = '\0';
	to->best_logprob = NAN;
	if (own.has_list) {
		show(columns_top_token(c, own.best), TOKEN_CHARACTERS, to->best, sizeof(to->best));
		to->best_logprob = c->top_lp[own.best];
	}
	show(bytes_from(c, begin_of(c, token)), AFTER_CHARACTERS, to->text, sizeof(to->text));
}

/* How much less probable the other side's token is than a side's own, by this side's logprobs.
 * NaN if unknown. An unlisted token is at most as probable as the least probable listed one. */
static double gap_of(const struct columns *c, uint32_t token, struct span other)
{
	struct token_view own = view_of(c, token, columns_token(c, token));
	struct token_view others = view_of(c, token, other);
	return (double)own.logprob -
	       (double)(isnan(others.logprob) ? others.least : others.logprob);
}

static int compare_gaps(double a, double b)
{
	if (isnan(a) || isnan(b)) {
		return isnan(a) - isnan(b);
	}
	return (a < b) - (a > b);
}

/* Negative if a is to be shown rather than b. Examples with tokens are compared by gap, others
 * by how early the texts differ. */
static int compare(const struct example *a, const struct example *b)
{
	int order = b->has_tokens - a->has_tokens;
	order = order || !a->has_tokens ? order : compare_gaps(a->gap, b->gap);
	order = order || a->has_tokens ? order
	                               : (a->position > b->position) - (a->position < b->position);
	order = order ? order : id_compare(a->exchange, b->exchange);
	order = order ? order : (a->position > b->position) - (a->position < b->position);
	order = order ? order : strcmp(a->base.text, b->base.text);
	return order ? order : strcmp(a->test.text, b->test.text);
}

static void offer(struct example *to, const struct example *other)
{
	if (other->known && (!to->known || compare(other, to) < 0)) {
		*to = *other;
	}
}

static void offer_tokens(struct example *to, struct id exchange, const struct columns *base,
        const struct columns *test, const struct position_walk *w, double gap)
{
	struct example own = {.known = true,
	        .exchange = exchange,
	        .has_tokens = true,
	        .position = w->a,
	        .gap = gap};
	if (to->known && to->has_tokens && compare_gaps(to->gap, gap) < 0) {
		return;
	}
	show_before(bytes_from(base, 0), begin_of(base, w->a), own.before);
	fill_side(&own.base, base, w->a, columns_token(test, w->b));
	fill_side(&own.test, test, w->b, columns_token(base, w->a));
	offer(to, &own);
}

static void consider_tokens(struct examples *e, struct id exchange, const struct columns *base,
        const struct columns *test)
{
	struct position_walk w = {0};
	position_walk_begin(base, test, &w);
	position_walk_skip(&w, position_walk_count_equal(base, test, &w, UINT32_MAX));
	do {
		if (!position_walk_next(base, test, &w)) {
			return;
		}
	} while (w.equal);
	double gap = gap_of(base, w.a, columns_token(test, w.b));
	double own = gap_of(test, w.b, columns_token(base, w.a));
	if (!isnan(gap)) {
		offer_tokens(&e->widest, exchange, base, test, &w, gap);
	}
	/* For a side that chose a token that is not its most probable one, keeps the clearest
	 * case. */
	if (base->flags[w.a] & TOKEN_NOT_TOP) {
		offer_tokens(&e->base_not_best, exchange, base, test, &w, -gap);
	}
	if (test->flags[w.b] & TOKEN_NOT_TOP) {
		offer_tokens(&e->test_not_best, exchange, base, test, &w, -own);
	}
}

/* If there are no tokens, offers the difference in the texts; the earliest one is shown. */
static void offer_texts(struct example *to, struct id exchange, const struct choice *base,
        const struct choice *test, size_t at)
{
	struct span b = buf_span(&base->text), t = buf_span(&test->text);
	while (at > 0 && at < b.len && ((unsigned char)b.data[at] & 0xc0) == 0x80) {
		at--;
	}
	struct example own = {.known = true, .exchange = exchange, .position = (uint32_t)at};
	if (to->known && (to->has_tokens || to->position < at)) {
		return;
	}
	show_before(b, at, own.before);
	show((struct span){b.data + at, b.len - at}, AFTER_CHARACTERS, own.base.text,
	        sizeof(own.base.text));
	show((struct span){t.data + at, t.len - at}, AFTER_CHARACTERS, own.test.text,
	        sizeof(own.test.text));
	offer(to, &own);
}

void examples_consider(struct examples *e, struct id exchange, const struct choice *base,
        const struct choice *test, const struct first_difference *difference)
{
	if (difference->has_tokens) {
		consider_tokens(e, exchange, &base->columns, &test->columns);
	} else if (!difference->text_equal && base->text.len > 0 && test->text.len > 0) {
		offer_texts(&e->widest, exchange, base, test, difference->first_byte);
	}
}
