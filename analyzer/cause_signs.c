#include "analyzer/cause_signs.h"

#include <math.h>
#include <string.h>

#include "analyzer/position.h"
#include "base/check.h"

#define REPEAT_WINDOW 256 /* tokens; more than engines' penalties usually look back */
#define SLOTS 1024
#define LISTED 20      /* alternatives of a side that are looked at */
#define LISTS_SUMMED 4 /* of an answer */
#define OVER_ONE 1.01
#define FOREIGN_DISTANCE 0.5 /* of total variation, at least */
#define FOREIGN_SHARED 0.25  /* Jaccard's index of the lists, at most */
#define NOISE_MOST 1.0       /* nats that one position counts at most */

/* Which tokens came lately. A slot may forget what another token puts there: rarely, and then a repeat
 * goes unnoticed. */
struct memory {
	struct {
		uint32_t hash, at; /* at: position + 1; 0: empty */
	} slots[SLOTS];
};

static uint32_t hash_of(struct span bytes)
{
	uint64_t h = bytes.len;
	for (size_t i = 0; i < bytes.len; i++) {
		h = (h ^ (uint8_t)bytes.data[i]) * 0x9e3779b97f4a7c15u;
		h ^= h >> 29;
	}
	return (uint32_t)(h >> 16);
}

/* Of its two slots that of the token itself, else the older one. */
static void memory_add(struct memory *m, struct span bytes, uint32_t at)
{
	uint32_t hash = hash_of(bytes), slot = hash % SLOTS, other = slot ^ 1;
	bool second = m->slots[slot].hash != hash &&
	              (m->slots[other].hash == hash || m->slots[other].at < m->slots[slot].at);
	slot = second ? other : slot;
	m->slots[slot].hash = hash;
	m->slots[slot].at = at + 1;
}

static bool memory_has(const struct memory *m, struct span bytes, uint32_t at)
{
	uint32_t hash = hash_of(bytes), slot = hash % SLOTS;
	slot = m->slots[slot].hash == hash ? slot : slot ^ 1;
	uint32_t seen = m->slots[slot].at;
	return seen && m->slots[slot].hash == hash && at + 1 - seen <= REPEAT_WINDOW;
}

struct rows {
	uint32_t from, to;
};

static struct rows rows_of(const struct columns *c, uint32_t token)
{
	uint32_t from = token ? c->top_end[token - 1] : 0;
	return (struct rows){from, MIN(c->top_end[token], from + LISTED)};
}

static uint32_t best_of(const struct columns *c, uint32_t token)
{
	struct rows r = rows_of(c, token);
	uint32_t best = r.from;
	for (uint32_t row = r.from + 1; row < r.to; row++) {
		best = c->top_lp[row] > c->top_lp[best] ? row : best;
	}
	return best;
}

static bool lists(const struct columns *c, uint32_t token, struct span bytes)
{
	struct rows r = rows_of(c, token);
	for (uint32_t row = r.from; row < r.to; row++) {
		if (span_equal(columns_top_token(c, row), bytes)) {
			return true;
		}
	}
	return false;
}

/* A word of the request's text; blanks around a token are no part of it. */
static bool is_in_request(struct span token, struct span request)
{
	while (token.len && token.data[0] == ' ') {
		token.data++;
		token.len--;
	}
	return token.len && request.len && memmem(request.data, request.len, token.data, token.len);
}

static bool has_list(const struct columns *c, uint32_t token)
{
	return c->top_end[token] > (token ? c->top_end[token - 1] : 0);
}

/* The tokens that an answer passed over, which is rare. */
static void read_against(const struct columns *c, struct span request, struct cause_choices *ret)
{
	struct memory seen = {0};
	for (uint32_t i = 0; i < c->n; i++) {
		if (has_list(c, i) && !(c->flags[i] & TOKEN_MISSING)) {
			struct span best = columns_top_token(c, best_of(c, i));
			bool before = memory_has(&seen, best, i);
			ret->best++;
			ret->best_seen += before;
			if (c->flags[i] & TOKEN_NOT_TOP) {
				ret->not_top++;
				ret->repeats += before;
				ret->strange += !before && !is_in_request(best, request);
			}
		}
		memory_add(&seen, columns_token(c, i), i);
	}
}

static bool sums_to_more(const struct columns *c, uint32_t token)
{
	struct rows r = rows_of(c, token);
	double sum = 0;
	for (uint32_t row = r.from; row < r.to; row++) {
		sum += isfinite(c->top_lp[row]) ? exp((double)c->top_lp[row]) : 0;
	}
	return sum > OVER_ONE;
}

static void read_choices(
        const struct choice *choice, bool greedy, struct span request, struct cause_choices *ret)
{
	const struct columns *c = &choice->columns;
	bool against = false;
	for (uint32_t i = 0; choice->has_columns && i < c->n; i++) {
		if (!has_list(c, i) || (c->flags[i] & TOKEN_MISSING)) {
			continue;
		}
		if (ret->lists < LISTS_SUMMED) {
			ret->lists++;
			ret->over_one += sums_to_more(c, i);
		}
		ret->tokens += greedy;
		against |= (c->flags[i] & TOKEN_NOT_TOP) != 0;
		if (greedy && (c->flags[i] & TOKEN_UNLISTED)) {
			ret->unlisted++;
			ret->shifted += i + 1 < c->n && lists(c, i + 1, columns_token(c, i));
		}
	}
	/* A grammar may choose a call's tokens, against any list. */
	if (greedy && against && choice->n_calls == 0) {
		read_against(c, request, ret);
	}
}

/* The tokens of a position that both sides list, with what each says of them. */
struct shared {
	size_t n;
	struct span bytes[LISTED];
	double base[LISTED], test[LISTED];
};

static void read_shared(const struct columns *base, uint32_t i, const struct columns *test,
        uint32_t k, struct shared *ret)
{
	struct rows b = rows_of(base, i), t = rows_of(test, k);
	ret->n = 0;
	for (uint32_t row = b.from; row < b.to; row++) {
		struct span bytes = columns_top_token(base, row);
		uint32_t n = t.to - t.from, guess = row - b.from;
		/* Lists of like engines have like order. */
		uint32_t at = guess < n ? t.from + guess : t.from;
		for (uint32_t step = 0; step < n; step++, at = at + 1 < t.to ? at + 1 : t.from) {
			struct span other = columns_top_token(test, at);
			if (other.len != bytes.len ||
			        memcmp(other.data, bytes.data, bytes.len) != 0) {
				continue;
			}
			if (bytes.len && isfinite(base->top_lp[row]) &&
			        isfinite(test->top_lp[at])) {
				ret->bytes[ret->n] = bytes;
				ret->base[ret->n] = (double)base->top_lp[row];
				ret->test[ret->n++] = (double)test->top_lp[at];
			}
			break;
		}
	}
}

/* The two that both together hold most probable: by neither side's own choice, for what one side puts
 * first owes that to its own noise. */
static void add_gap(struct cause_signs *s, const struct shared *p)
{
	size_t best = SIZE_MAX, second = SIZE_MAX;
	for (size_t i = 0; i < p->n; i++) {
		double sum = p->base[i] + p->test[i];
		if (best == SIZE_MAX || sum > p->base[best] + p->test[best]) {
			second = best;
			best = i;
		} else if (second == SIZE_MAX || sum > p->base[second] + p->test[second]) {
			second = i;
		}
	}
	if (second == SIZE_MAX) {
		return;
	}
	double base = p->base[best] - p->base[second], test = p->test[best] - p->test[second];
	s->gap_base += base * base;
	s->gap_test += test * test;
	s->gap_both += base * test;
	s->gaps++;
	s->noise += fmin(NOISE_MOST, fabs(test - base));
	s->noise_n++;
}

static bool is_moved(const struct shared *p)
{
	for (size_t i = 0; i < p->n; i++) {
		if (p->base[i] != p->test[i]) {
			return true;
		}
	}
	return false;
}

static void add_contrast(
        struct cause_signs *s, const struct shared *p, const struct memory *seen, uint32_t at)
{
	double sums[2] = {0, 0};
	size_t n[2] = {0, 0};
	if (!is_moved(p)) {
		return;
	}
	for (size_t i = 0; i < p->n; i++) {
		bool before = memory_has(seen, p->bytes[i], at);
		sums[before] += p->test[i] - p->base[i];
		n[before]++;
	}
	if (n[0] > 0 && n[1] > 0) {
		double x = sums[1] / (double)n[1] - sums[0] / (double)n[0];
		s->contrast += x;
		s->contrast_n++;
	}
}

static void read_first(struct cause_signs *s, const struct columns *base, uint32_t i,
        const struct columns *test, uint32_t k, const struct memory *seen, struct span request)
{
	struct position p;
	struct bounds b;
	struct span mine = columns_token(base, i), other = columns_token(test, k);
	s->has_first = true;
	s->opening = i == 0;
	s->base_against = (base->flags[i] & TOKEN_NOT_TOP) != 0;
	s->test_against = (test->flags[k] & TOKEN_NOT_TOP) != 0;
	s->base_repeats = memory_has(seen, mine, i) || is_in_request(mine, request);
	s->test_repeats = memory_has(seen, other, i) || is_in_request(other, request);
	position_read_at(base, i, test, k, &p);
	if (position_is_bare(&p) || p.k < 2) {
		return;
	}
	position_bounds(&p, &b);
	s->foreign = b.tv_low >= FOREIGN_DISTANCE && position_jaccard(&p) <= FOREIGN_SHARED;
}

static void walk(struct cause_signs *s, const struct columns *base, const struct columns *test,
        bool greedy, struct span request)
{
	struct memory seen = {0};
	struct shared p;
	struct parting_walk w = {0};
	while (parting_walk_next(base, test, &w)) {
		read_shared(base, w.a, test, w.b, &p);
		add_gap(s, &p);
		add_contrast(s, &p, &seen, w.a);
		if (w.equal) {
			memory_add(&seen, columns_token(base, w.a), w.a);
		} else if (greedy && !s->has_first) {
			read_first(s, base, w.a, test, w.b, &seen, request);
		}
	}
}

void cause_signs_read(const struct choice *base, const struct choice *test,
        const struct parting *parting, bool greedy, struct span request, struct cause_signs *ret)
{
	*ret = (struct cause_signs){0};
	read_choices(base, greedy, request, &ret->base);
	read_choices(test, greedy, request, &ret->test);
	if (parting->has_tokens) {
		walk(ret, &base->columns, &test->columns, greedy, request);
	}
}
