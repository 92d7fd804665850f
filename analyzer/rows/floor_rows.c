#include "analyzer/rows/floor_rows.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

void floor_pairs_add(struct floor_pairs *f, const struct floor_pair *pair)
{
	f->items = xrealloc(f->items, (f->n + 1) * sizeof(*f->items));
	f->items[f->n++] = *pair;
}

void floor_pairs_finish(struct floor_pairs *f)
{
	free(f->items);
}

/* Whether the floor is of the engine that gave the leg. If runs of one engine are compared, each
 * run has its own floor. */
static bool is_of(const struct floor_pairs *f, const struct floor_pair *floor,
        const struct floor_pair *pair, size_t leg)
{
	const struct capture_leg *legs = f->e->legs;
	const struct leg_row *base = &legs[floor->legs.base].row, *row = &legs[leg].row;
	bool by_run = pair_is_of_one_engine(
	        f->names, &legs[pair->legs.base].row, &legs[pair->legs.test].row);
	return pair_is_of_one_engine(f->names, base, row) &&
	       (!by_run || id_compare(base->run, row->run) == 0);
}

static bool is_of_either(
        const struct floor_pairs *f, const struct floor_pair *floor, const struct floor_pair *pair)
{
	return is_of(f, floor, pair, pair->legs.base) || is_of(f, floor, pair, pair->legs.test);
}

static bool is_of_group(const struct floor_pair *a, const struct floor_pair *b)
{
	return !a->is_floor && strcmp(a->base, b->base) == 0 && strcmp(a->test, b->test) == 0;
}

/* Whether an earlier pair of the group already got this floor. */
static bool was_given(
        const struct floor_pairs *f, const struct floor_pair *floor, const struct floor_pair *pair)
{
	for (const struct floor_pair *before = f->items; before < pair; before++) {
		if (is_of_group(before, pair) && is_of_either(f, floor, before)) {
			return true;
		}
	}
	return false;
}

static void give(const struct floor_pairs *f, const struct floor_pair *to,
        const struct floor_pair *facts_of, enum floor_of of, const struct row_sink *sink)
{
	const struct capture_leg *legs = f->e->legs;
	struct row row = {.type = FLOOR_ROW};
	row.floor = (struct floor_row){
	        .exchange = f->e->row.id,
	        .leg = legs[facts_of->legs.base].row.id,
	        .other_leg = legs[facts_of->legs.test].row.id,
	        .choice = facts_of->choice,
	        .base = to->base,
	        .test = to->test,
	        .of = of,
	        .of_repeats = f->of_repeats,
	        .facts = facts_of->facts,
	        .noise = facts_of->noise,
	        .noise_n = facts_of->noise_n,
	};
	memcpy(row.floor.cluster, f->cluster, sizeof(row.floor.cluster));
	row_sink_put(sink, &row, NULL);
}

static void give_floors(
        const struct floor_pairs *f, const struct floor_pair *pair, const struct row_sink *sink)
{
	if (f->of_repeats) {
		give(f, pair, pair, FLOOR_OF_PAIR, sink);
	}
	for (size_t i = 0; i < f->n; i++) {
		const struct floor_pair *floor = &f->items[i];
		if (floor->is_floor && is_of_either(f, floor, pair) && !was_given(f, floor, pair)) {
			bool of_base = is_of(f, floor, pair, pair->legs.base);
			give(f, pair, floor, of_base ? FLOOR_OF_BASE : FLOOR_OF_TEST, sink);
		}
	}
}

void floor_rows(const struct floor_pairs *f, const struct row_sink *sink)
{
	for (size_t i = 0; row_sink_wants(sink, FLOOR_ROW) && i < f->n; i++) {
		if (!f->items[i].is_floor) {
			give_floors(f, &f->items[i], sink);
		}
	}
}
