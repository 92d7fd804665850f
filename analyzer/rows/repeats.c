#include "analyzer/rows/repeats.h"

#include <stdlib.h>
#include <string.h>

#include <xxhash.h>

#include "analyzer/rows/part.h"
#include "base/mem.h"
#include "capture/leg_flaw.h"

/* Separates answers by their conditions at low cost. Whether the requests are equal beyond the
 * prompt is checked later. */
struct condition {
	uint8_t prompt[REQUEST_HASH_SIZE];
	struct id run, manifest;
	uint64_t endpoint, body_bytes, model, backend;
	int64_t cached;
};
_Static_assert(sizeof(struct condition) == 88, "there is nothing between the members");

static struct condition condition_of(const struct capture_exchange *e)
{
	struct condition c = {
	        .endpoint = e->row.endpoint,
	        .body_bytes = e->row.body_bytes,
	        .model = part_hash_name(e->row.model),
	};
	memcpy(c.prompt, e->row.hashes.prompt, sizeof(c.prompt));
	return c;
}

static void name_condition(
        const struct condition *c, const struct capture_exchange *e, struct repeat *item)
{
	XXH128_canonical_t digest;
	XXH128_canonicalFromHash(&digest, XXH3_128bits(c, sizeof(*c)));
	memcpy(item->what, digest.digest, sizeof(item->what));
	item->prompt = part_hash(&e->row);
}

static int by_condition(const void *a, const void *b)
{
	const struct repeat *x = a, *y = b;
	if (x->prompt != y->prompt) {
		return x->prompt < y->prompt ? -1 : 1;
	}
	int order = memcmp(x->what, y->what, sizeof(x->what));
	order = order ? order : id_compare(x->exchange, y->exchange);
	return order ? order : id_compare(x->leg, y->leg);
}

size_t repeats_of_prompt(const struct repeats *r, size_t i)
{
	size_t n = 1;
	while (i + n < r->n && r->items[i + n].prompt == r->items[i].prompt) {
		n++;
	}
	return n;
}

size_t repeats_of_condition(const struct repeats *r, size_t i)
{
	size_t n = 1;
	while (i + n < r->n && r->items[i + n].prompt == r->items[i].prompt &&
	        memcmp(r->items[i + n].what, r->items[i].what, sizeof(r->items[i].what)) == 0) {
		n++;
	}
	return n;
}

/* Sorts the repeats and keeps only as many of each condition and of each prompt as are wanted. */
static void thin(struct repeats *r)
{
	size_t kept = 0, of_prompt = 0, of_condition = 0;
	if (r->n > 0) {
		qsort(r->items, r->n, sizeof(*r->items), by_condition);
	}
	for (size_t i = 0; i < r->n; i++) {
		const struct repeat *item = &r->items[i], *last = &r->items[kept - (kept > 0)];
		bool same = kept > 0 && item->prompt == last->prompt;
		bool alike = same && memcmp(item->what, last->what, sizeof(item->what)) == 0;
		of_prompt = same ? of_prompt : 0;
		of_condition = alike ? of_condition : 0;
		if (of_prompt < REPEATS_OF_PROMPT && of_condition < r->most) {
			of_prompt++;
			of_condition++;
			r->items[kept++] = *item;
		}
	}
	r->n = kept;
}

static void push(struct repeats *r, const struct repeat *item)
{
	if (!part_chooses(item->prompt, REPEATS_EXCHANGES, r->exchanges)) {
		return;
	}
	if (r->n == r->cap) {
		thin(r);
		r->cap = MAX(2 * r->n, (size_t)1024);
		r->items = xrealloc(r->items, r->cap * sizeof(*r->items));
	}
	r->items[r->n++] = *item;
}

static bool has_prompt(const struct capture_exchange *e)
{
	return !e->absent && e->row.content == CONTENT_FULL && part_has_prompt(&e->row);
}

void repeats_add(struct repeats *r, const struct capture_exchange *e)
{
	const struct request_facts *facts = &e->row.facts;
	bool by_chance = facts->temperature > 0 && !(facts->top_k == 1);
	if (!has_prompt(e) || by_chance) {
		return;
	}
	struct condition c = condition_of(e);
	for (size_t i = 0; i < e->n_legs; i++) {
		const struct leg_row *leg = &e->legs[i].row;
		struct repeat item = {.exchange = e->row.id, .leg = leg->id};
		if (!leg_is_whole_answer(leg)) {
			continue;
		}
		c.run = leg->run;
		c.manifest = leg->manifest;
		c.backend = part_hash_name(leg->backend);
		c.cached = leg->usage.cached_tokens;
		name_condition(&c, e, &item);
		push(r, &item);
	}
}

void repeats_add_sampled(struct repeats *r, const struct capture_exchange *e)
{
	const struct request_facts *facts = &e->row.facts;
	bool greedy = facts->temperature <= 0 || facts->top_k == 1;
	if (!has_prompt(e) || greedy || facts->has_seed || e->n_legs < 2) {
		return;
	}
	struct condition c = condition_of(e);
	struct repeat item = {.exchange = e->row.id, .several = facts->n > 1 || e->n_legs > 2};
	name_condition(&c, e, &item);
	push(r, &item);
}

static bool has_repeat(const struct repeats *r, size_t from, size_t n)
{
	for (size_t i = from; i < from + n; i += repeats_of_condition(r, i)) {
		if (r->items[i].several || repeats_of_condition(r, i) > 1) {
			return true;
		}
	}
	return false;
}

void repeats_settle(struct repeats *r)
{
	size_t kept = 0, n;
	if (r->n == 0) {
		return;
	}
	thin(r);
	for (size_t i = 0; i < r->n; i += n) {
		n = repeats_of_prompt(r, i);
		if (has_repeat(r, i, n)) {
			memmove(&r->items[kept], &r->items[i], n * sizeof(*r->items));
			kept += n;
		}
	}
	r->n = kept;
}

void repeats_finish(struct repeats *r)
{
	free(r->items);
	*r = (struct repeats){0};
}
