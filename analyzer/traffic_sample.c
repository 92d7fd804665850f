/*
 * When the tokens of a sample of answers came: their bodies, fed once more as their bytes arrived.
 */
#include <endian.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/traffic.h"
#include "reading/pulse.h"

#define EPOCH UINT64_C(1000000000) /* ns: a pulse takes 0 for never */

static int by_exchange(const void *a, const void *b)
{
	const struct traffic_pick *x = a, *y = b;
	int order = id_compare(x->exchange, y->exchange);
	return order ? order : id_compare(x->leg, y->leg);
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

static void add_stream(struct traffic_backend *b, const struct pulse *p, int64_t tokens)
{
	histogram_add(&b->ttft, us(EPOCH, p->first_choice));
	histogram_add(&b->e2e, us(EPOCH, p->last_choice));
	for (size_t i = 0; i < p->n_gaps; i++) {
		histogram_add(&b->itl, p->gaps[i]);
	}
	if (tokens > 1) {
		uint64_t steps = (uint64_t)tokens - 1;
		histogram_add(&b->tpot, us(p->first_choice, p->last_choice) / steps);
	}
}

static void measure(
        struct traffic_backend *b, struct capture *c, const struct capture_exchange *e, size_t leg)
{
	const struct leg_row *row = &e->legs[leg].row;
	bool coded = row->content_encoding && *row->content_encoding &&
	             strcmp(row->content_encoding, "identity") != 0;
	struct pulse p;
	pulse_begin(&p, true);
	if (!coded && feed(c, e, leg, &p)) {
		add_stream(b, &p, row->usage.completion_tokens);
	}
	pulse_finish(&p);
}

static void measure_pick(
        struct traffic_backend *b, struct capture *c, const struct traffic_pick *pick)
{
	struct capture_exchange e;
	if (!pick->stream && pick->end_us != UINT64_MAX) {
		histogram_add(&b->e2e, pick->end_us);
	}
	if (!pick->stream || capture_find(c, pick->exchange, &e) < 0) {
		return;
	}
	for (size_t i = 0; i < e.n_legs; i++) {
		if (id_compare(e.legs[i].row.id, pick->leg) == 0) {
			measure(b, c, &e, i);
		}
	}
	capture_exchange_finish(&e);
}

void traffic_settle(struct traffic *t, struct capture *c)
{
	for (size_t i = 0; i < t->n_backends; i++) {
		struct traffic_backend *b = &t->backends[i];
		traffic_thin(b);
		if (b->n_picks == 0) {
			continue;
		}
		qsort(b->picks, b->n_picks, sizeof(*b->picks), by_exchange);
		for (size_t k = 0; k < b->n_picks; k++) {
			measure_pick(b, c, &b->picks[k]);
		}
	}
}
