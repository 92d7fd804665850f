#include "analyzer/fold/example.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "analyzer/compare/tokens/listing.h"
#include "base/utf8.h"

#define BEFORE_BYTES 56
#define AFTER_CHARACTERS 56
#define TOKEN_CHARACTERS 18

/* Copies the character at p in a form that is safe to show. Returns how many bytes of s it
 * takes. */
static size_t show_character(const char *p, const char *end, char ret[8])
{
	uint32_t code = 0;
	size_t n = utf8_get(p, end, &code);
	if (n == 0) {
		snprintf(ret, 8, "\\x%02x", (unsigned char)*p);
		return 1;
	}
	if (*p == '\n' || *p == '\t' || *p == '\r') {
		snprintf(ret, 8, "\\%c", *p == '\n' ? 'n' : *p == '\t' ? 't' : 'r');
	} else if (!utf8_is_shown(code)) {
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

/* Whether the side lists or chose the token, with or without a logprob. */
static bool names(const struct listing *l, struct span token)
{
	bool named = span_equal(listing_chosen(l), token);
	for (uint32_t row = l->from; row < l->to; row++) {
		named |= span_equal(listing_row(l, row), token);
	}
	return named;
}

static void fill_side(struct example_side *to, const struct listing *l, struct span other)
{
	const struct columns *c = l->columns;
	uint32_t best;
	show(listing_chosen(l), TOKEN_CHARACTERS, to->token, sizeof(to->token));
	to->logprob = listing_logprob(l, listing_chosen(l));
	to->of_other = listing_logprob(l, other);
	to->has_other = names(l, other);
	to->not_best = (listing_flags(l) & TOKEN_NOT_TOP) != 0;
	to->best[0] = '\0';
	to->best_logprob = NAN;
	if (listing_best(l, &best, 1) > 0) {
		show(listing_row(l, best), TOKEN_CHARACTERS, to->best, sizeof(to->best));
		to->best_logprob = listing_lp(l, best);
	}
	show(bytes_from(c, begin_of(c, l->token)), AFTER_CHARACTERS, to->text, sizeof(to->text));
}

/* How much less probable the other side's token is than a side's own, by this side's logprobs.
 * NaN if unknown. An unlisted token is at most as probable as the least probable listed one. */
static double gap_of(const struct listing *l, struct span other)
{
	float lp = listing_logprob(l, other);
	return (double)listing_logprob(l, listing_chosen(l)) -
	       (double)(isnan(lp) ? listing_least(l) : lp);
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

static void offer_tokens(struct example *to, struct id exchange, const struct listing *base,
        const struct listing *test, double gap)
{
	struct example own = {.known = true,
	        .exchange = exchange,
	        .has_tokens = true,
	        .position = base->token,
	        .gap = gap};
	if (to->known && to->has_tokens && compare_gaps(to->gap, gap) < 0) {
		return;
	}
	show_before(bytes_from(base->columns, 0), begin_of(base->columns, base->token), own.before);
	fill_side(&own.base, base, listing_chosen(test));
	fill_side(&own.test, test, listing_chosen(base));
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
	struct listing b = listing_at(base, w.a), t = listing_at(test, w.b);
	double gap = gap_of(&b, listing_chosen(&t)), own = gap_of(&t, listing_chosen(&b));
	if (!isnan(gap)) {
		offer_tokens(&e->widest, exchange, &b, &t, gap);
	}
	/* For a side that chose a token that is not its most probable one, keeps the clearest
	 * case. */
	if (listing_flags(&b) & TOKEN_NOT_TOP) {
		offer_tokens(&e->base_not_best, exchange, &b, &t, -gap);
	}
	if (listing_flags(&t) & TOKEN_NOT_TOP) {
		offer_tokens(&e->test_not_best, exchange, &b, &t, -own);
	}
}

/* If there are no tokens, offers the difference in the texts; the earliest one is shown. */
static void offer_texts(struct example *to, struct id exchange, const struct choice *base,
        const struct choice *test, size_t at)
{
	struct span b = buf_span(&base->text), t = buf_span(&test->text);
	at = utf8_cut(b, at).len;
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

static bool is_wider(const struct widest *a, const struct widest *b)
{
	if (!a->known || !b->known) {
		return a->known;
	}
	if (a->at_token != b->at_token) {
		return a->at_token;
	}
	if (a->size != b->size) {
		return a->size > b->size;
	}
	return id_compare(a->exchange, b->exchange) < 0;
}

void widest_add(struct widest *w, const struct pair_row *row)
{
	const struct positions *p = &row->c.positions;
	struct widest one = {.known = row->c.differ && !row->c.placement_differs,
	        .at_token = p->has_first && !isnan(p->first.base_gap),
	        .exchange = row->exchange.id};
	one.size = one.at_token ? p->first.base_gap : -(double)row->c.first_byte;
	if (is_wider(&one, w)) {
		*w = one;
	}
}
