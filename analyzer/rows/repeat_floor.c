#include "analyzer/rows/repeat_floor.h"

#include "base/mem.h"

#define REPEATS_MOST 64 /* repeats that are compared with the answers of one exchange */

struct pass {
	struct row_maker *maker;
	const struct selection *selection;
	struct row_sink sink; /* for floor_rows alone */
	struct repeat_counts *counts;
};

/* Whether both legs got the same request, byte for byte, from the client and from plumbline. */
static bool same_request(struct capture *c, const struct capture_exchange *a, size_t leg_a,
        const struct capture_exchange *b, size_t leg_b)
{
	struct buf client_bodies[2] = {0}, sent_bodies[2] = {0};
	bool same = capture_request_body(c, a, &client_bodies[0]) == 0 &&
	            capture_request_body(c, b, &client_bodies[1]) == 0 &&
	            span_equal(buf_span(&client_bodies[0]), buf_span(&client_bodies[1])) &&
	            capture_sent_body(c, a, leg_a, &sent_bodies[0]) == 0 &&
	            capture_sent_body(c, b, leg_b, &sent_bodies[1]) == 0 &&
	            span_equal(buf_span(&sent_bodies[0]), buf_span(&sent_bodies[1]));
	for (size_t i = 0; i < 2; i++) {
		buf_finish(&client_bodies[i]);
		buf_finish(&sent_bodies[i]);
	}
	return same;
}

/* Moves the leg into e. */
static size_t add_leg(struct capture_exchange *e, struct capture_leg *leg)
{
	e->legs = xrealloc(e->legs, (e->n_legs + 1) * sizeof(*e->legs));
	e->legs[e->n_legs] = *leg;
	*leg = (struct capture_leg){0};
	return e->n_legs++;
}

/* Adds the answer of another exchange to e as a leg, to compare it with own_leg. */
static bool add_repeat(struct pass *p, struct capture_exchange *e, size_t own_leg,
        const struct repeat *item, struct pair *ret)
{
	struct capture_exchange other;
	if (id_compare(item->exchange, e->row.id) == 0 ||
	        !selection_find(p->selection, p->maker->capture, item->exchange, &other)) {
		return false;
	}
	size_t other_leg = capture_leg_index(&other, item->leg);
	bool same = other_leg < other.n_legs &&
	            same_request(p->maker->capture, e, own_leg, &other, other_leg);
	p->counts->unlike += other_leg < other.n_legs && !same;
	if (same) {
		*ret = (struct pair){.base = own_leg, .test = add_leg(e, &other.legs[other_leg])};
	}
	capture_exchange_finish(&other);
	return same;
}

/* For each condition, all answers are compared with the first one. Adds those whose first one is
 * in e. */
static size_t add_repeats(struct pass *p, struct capture_exchange *e, const struct repeats *items,
        struct pair ret[REPEATS_MOST])
{
	size_t found = 0, n, n_own = e->n_legs;
	for (size_t i = 0; i < items->n; i += n) {
		n = repeats_of_condition(items, i);
		size_t own_leg = capture_leg_index(e, items->items[i].leg);
		for (size_t k = 1; k < n && own_leg < n_own && found < REPEATS_MOST; k++) {
			found += add_repeat(p, e, own_leg, &items->items[i + k], &ret[found]);
		}
	}
	return found;
}

static void read_repeated(struct pass *p, struct id id, const struct repeats *items)
{
	struct capture_exchange e;
	struct pair pairs[REPEATS_MOST];
	if (!selection_find(p->selection, p->maker->capture, id, &e)) {
		return;
	}
	size_t n_own = e.n_legs, n = add_repeats(p, &e, items, pairs);
	p->counts->pairs += n;
	exchange_rows_of_repeats(p->maker, &e, n_own, pairs, n, &p->sink);
	capture_exchange_finish(&e);
}

static bool is_listed_before(const struct repeats *items, size_t i)
{
	for (size_t k = 0; k < i; k++) {
		if (id_compare(items->items[k].exchange, items->items[i].exchange) == 0) {
			return true;
		}
	}
	return false;
}

static void read_prompt(struct pass *p, const struct repeats *items)
{
	p->counts->prompts++;
	for (size_t i = 0; i < items->n; i++) {
		if (!is_listed_before(items, i)) {
			read_repeated(p, items->items[i].exchange, items);
		}
	}
}

void repeat_floor_rows(struct row_maker *m, const struct selection *selection,
        const struct repeats *repeats, const struct row_sink *sink, struct repeat_counts *ret)
{
	struct pass p = {
	        .maker = m,
	        .selection = selection,
	        .sink = row_sink_only(sink, FLOOR_ROW),
	        .counts = ret,
	};
	for (size_t i = 0, n; i < repeats->n; i += n) {
		n = repeats_of_prompt(repeats, i);
		const struct repeats some = {.items = repeats->items + i, .n = n};
		read_prompt(&p, &some);
	}
}
