#include "analyzer/leg_times.h"

#include <endian.h>
#include <stdlib.h>
#include <string.h>

#include <xxhash.h>

#include "analyzer/names.h"
#include "base/mem.h"
#include "reading/pulse.h"

#define EPOCH UINT64_C(1000000000) /* ns: a pulse takes 0 for never */
#define ROOM_AT_FIRST 512
#define BIN_BITS 4 /* bins to a power of two */
#define BINS_EXACT (2u << BIN_BITS)

size_t times_gap_bin(uint64_t us)
{
	unsigned top = us < BINS_EXACT ? BIN_BITS : 63 - (unsigned)__builtin_clzll(us);
	unsigned shift = top - BIN_BITS;
	return MIN((size_t)((shift << BIN_BITS) + (us >> shift)), (size_t)TIMES_GAP_BINS - 1);
}

uint64_t times_gap_us(size_t bin)
{
	size_t shift = bin < BINS_EXACT ? 0 : (bin >> BIN_BITS) - 1;
	uint64_t low = (uint64_t)(bin - (shift << BIN_BITS)) << shift;
	return low + ((UINT64_C(1) << shift) - 1) / 2;
}

/* The largest hash in the sample. */
static uint64_t bound_of(const struct timed_legs *t)
{
	bool all = t->exchanges <= LEG_TIMES_SAMPLE;
	return all ? UINT64_MAX : UINT64_MAX / t->exchanges * LEG_TIMES_SAMPLE;
}

static void drop_others(struct timed_legs *t)
{
	uint64_t bound = bound_of(t);
	size_t kept = 0;
	for (size_t i = 0; i < t->n; i++) {
		if (t->items[i].hash <= bound) {
			t->items[kept++] = t->items[i];
		}
	}
	t->n = kept;
}

static void make_room(struct timed_legs *t)
{
	drop_others(t);
	if (t->n >= t->room / 2) {
		t->room = t->room ? 2 * t->room : ROOM_AT_FIRST;
		t->items = xrealloc(t->items, t->room * sizeof(*t->items));
	}
}

static void add(struct timed_legs *t, const struct timed_leg *leg)
{
	if (leg->hash > bound_of(t)) {
		return;
	}
	if (t->n == t->room) {
		make_room(t);
	}
	t->items[t->n++] = *leg;
}

void timed_legs_add(struct timed_legs *t, const struct leg_summary *leg)
{
	if (leg->end == LEG_END_COMPLETE) {
		const struct timed_leg item = {XXH3_64bits(leg->leg.bytes, sizeof(leg->leg.bytes)),
		        leg->exchange, leg->leg};
		add(t, &item);
	}
}

void timed_legs_merge(struct timed_legs *t, const struct timed_legs *other)
{
	t->exchanges += other->exchanges;
	for (size_t i = 0; i < other->n; i++) {
		add(t, &other->items[i]);
	}
}

void timed_legs_finish(struct timed_legs *t)
{
	free(t->items);
	*t = (struct timed_legs){0};
}

/* False: the body or its moments are not there, or don't belong together. */
static bool feed(struct capture *c, const struct capture_exchange *e, size_t leg, struct pulse *p)
{
	struct buf body = {0}, arrivals = {0};
	bool known = capture_response_body(c, e, leg, &body) == 0 &&
	             capture_arrivals(c, e, leg, &arrivals) == 0 && arrivals.len >= 8;
	size_t from = 0;
	for (size_t i = 0; known && i + 8 <= arrivals.len; i += 8) {
		uint32_t pair[2];
		memcpy(pair, arrivals.data + i, sizeof(pair));
		size_t until = MIN((size_t)le32toh(pair[1]), body.len);
		if (until > from) {
			uint64_t now = EPOCH + (uint64_t)le32toh(pair[0]) * 1000;
			pulse_feed(p, now, body.data + from, until - from);
			from = until;
		}
	}
	known = known && from == body.len;
	pulse_end(p, p->now);
	buf_finish(&body);
	buf_finish(&arrivals);
	return known && p->n_choices > 0;
}

static uint64_t us(uint64_t from, uint64_t to)
{
	return to > from ? (to - from) / 1000 : 0;
}

static void read_stream(const struct pulse *p, int64_t tokens, struct times_row *ret)
{
	ret->ttft_us = us(EPOCH, p->first_choice);
	ret->e2e_us = us(EPOCH, p->last_choice);
	for (size_t i = 0; i < p->n_gaps; i++) {
		ret->gaps[times_gap_bin(p->gaps[i])]++;
	}
	if (tokens > 1) {
		ret->tpot_us = us(p->first_choice, p->last_choice) / ((uint64_t)tokens - 1);
	}
}

static void emit(struct capture *c, const struct capture_exchange *e, size_t leg,
        const struct row_sink *sink)
{
	const struct leg_row *row = &e->legs[leg].row;
	bool streamed = framing_of_type(span_of(row->content_type)) == FRAMING_SSE;
	bool coded = row->content_encoding && *row->content_encoding &&
	             strcmp(row->content_encoding, "identity") != 0;
	struct times_row times = {
	        .leg = row->id,
	        .backend = names_of_backend(row),
	        .ttft_us = UINT64_MAX,
	        .tpot_us = UINT64_MAX,
	        .e2e_us = streamed ? UINT64_MAX : row->end_us,
	};
	struct pulse p;
	pulse_begin(&p, true);
	if (streamed && !coded && feed(c, e, leg, &p)) {
		read_stream(&p, row->usage.completion_tokens, &times);
	}
	pulse_finish(&p);
	sink->times(sink->arg, &times);
}

static int by_exchange(const void *a, const void *b)
{
	const struct timed_leg *x = a, *y = b;
	int order = id_compare(x->exchange, y->exchange);
	return order ? order : id_compare(x->leg, y->leg);
}

void timed_legs_rows(struct timed_legs *t, struct capture *c, const struct row_sink *sink)
{
	drop_others(t);
	if (t->n > 0) {
		qsort(t->items, t->n, sizeof(*t->items), by_exchange);
	}
	for (size_t i = 0; i < t->n; i++) {
		struct capture_exchange e;
		if (capture_find(c, t->items[i].exchange, &e) < 0) {
			continue;
		}
		for (size_t k = 0; k < e.n_legs; k++) {
			if (id_compare(e.legs[k].row.id, t->items[i].leg) == 0) {
				emit(c, &e, k, sink);
			}
		}
		capture_exchange_finish(&e);
	}
}
