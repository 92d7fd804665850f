#include "analyzer/stats/clusters.h"

#include <stdlib.h>
#include <string.h>

#include "analyzer/stats/clusters_inside.h"
#include "base/check.h"
#include "base/mem.h"
#include "capture/record.h"

/* A slot holds the row and the upper half of its key's hash: other keys in the way are told without a look at them. */
#define ROW_MASK 0xffffu
#define EMPTY UINT32_MAX
/* As many as a block of exchanges has at most, so that what sums up one is never copied to where there is more room. Rows
 * that nobody comes for are not touched. */
#define ROWS_AT_FIRST 256

struct clusters *clusters_create_limited(size_t n_figures, uint32_t limit)
{
	expect(limit > 1 && limit <= ROW_MASK && (limit & (limit - 1)) == 0);
	struct clusters *c = xcalloc(1, sizeof(*c));
	c->n_figures = n_figures;
	c->limit = limit;
	c->groups = MIN(limit, (uint32_t)CLUSTERS_GROUPS);
	return c;
}

const uint8_t *clusters_key_of(const struct exchange_row *row)
{
	static const uint8_t none[REQUEST_HASH_SIZE];
	_Static_assert(REQUEST_HASH_SIZE == CLUSTERS_KEY_SIZE, "hashes are keys");
	const struct request_hashes *h = &row->hashes;
	return memcmp(h->session, none, sizeof(none)) != 0  ? h->session
	       : memcmp(h->prompt, none, sizeof(none)) != 0 ? h->prompt
	                                                    : row->id.bytes;
}

struct clusters *clusters_create(size_t n_figures)
{
	return clusters_create_limited(n_figures, CLUSTERS_LIMIT);
}

/* NULL of NULL, which is what folded ones have. */
static void *copy_of(const void *data, size_t n)
{
	return data ? xmemdup(data, n) : NULL;
}

struct clusters *clusters_copy(const struct clusters *c)
{
	struct clusters *copy = xmemdup(c, sizeof(*c));
	copy->keys = copy_of(c->keys, (size_t)c->cap * CLUSTERS_KEY_SIZE);
	copy->sums = copy_of(c->sums, c->cap * c->n_figures * sizeof(*c->sums));
	copy->slots = copy_of(c->slots, c->n_slots * sizeof(*c->slots));
	copy->met = copy_of(c->met, sizeof(*c->met));
	return copy;
}

void clusters_destroy(struct clusters *c)
{
	if (!c) {
		return;
	}
	free(c->keys);
	free(c->sums);
	free(c->slots);
	free(c->met);
	free(c);
}

static const uint8_t *key_of(const struct clusters *c, uint32_t row)
{
	return c->keys + (size_t)row * CLUSTERS_KEY_SIZE;
}

/* Keys are hashes or random ids, but ids of one moment begin alike: their last bytes count. */
static uint32_t hash_of(const uint8_t *key)
{
	uint64_t word;
	memcpy(&word, key + 8, sizeof(word));
	return (uint32_t)(word * 0x9e3779b97f4a7c15u >> 32);
}

/* In two words, which costs less than a call. */
static bool is_key(const uint8_t *a, const uint8_t *b)
{
	uint64_t x[2], y[2];
	_Static_assert(sizeof(x) == CLUSTERS_KEY_SIZE, "a key is two words");
	memcpy(x, a, sizeof(x));
	memcpy(y, b, sizeof(y));
	return ((x[0] ^ y[0]) | (x[1] ^ y[1])) == 0;
}

static bool is_in_slot(const struct clusters *c, uint32_t slot, uint32_t hash, const uint8_t *key)
{
	return ((slot ^ hash) & ~ROW_MASK) == 0 && is_key(key_of(c, slot & ROW_MASK), key);
}

/* Where the key's row is told, or would be. */
static uint32_t *slot_of(const struct clusters *c, uint32_t hash, const uint8_t *key)
{
	size_t slot = hash & (c->n_slots - 1);
	while (c->slots[slot] != EMPTY && !is_in_slot(c, c->slots[slot], hash, key)) {
		slot = (slot + 1) & (c->n_slots - 1);
	}
	return &c->slots[slot];
}

static void fill_slot(uint32_t *slot, uint32_t hash, uint32_t row)
{
	*slot = (hash & ~ROW_MASK) | row;
}

static void grow(struct clusters *c)
{
	c->cap = c->cap ? 2 * c->cap : MIN(ROWS_AT_FIRST, c->limit);
	c->keys = xrealloc(c->keys, (size_t)c->cap * CLUSTERS_KEY_SIZE);
	c->sums = xrealloc(c->sums, c->cap * c->n_figures * sizeof(*c->sums));
	c->n_slots = 2 * (size_t)c->cap;
	c->slots = xrealloc(c->slots, c->n_slots * sizeof(*c->slots));
	memset(c->slots, 0xff, c->n_slots * sizeof(*c->slots));
	for (uint32_t row = 0; row < c->n; row++) {
		uint32_t hash = hash_of(key_of(c, row));
		fill_slot(slot_of(c, hash, key_of(c, row)), hash, row);
	}
}

static void add_row(struct ratio *to, const struct ratio *from, size_t n)
{
	for (size_t f = 0; f < n; f++) {
		to[f].part += from[f].part;
		to[f].whole += from[f].whole;
	}
}

static void meet(struct clusters *c, const uint8_t *key)
{
	uint64_t words[2];
	memcpy(words, key, sizeof(words));
	sketch_note(c->met, words[0] * UINT64_C(0xd1342543de82ef95) ^ words[1]);
}

static void fold(struct clusters *c)
{
	c->met = xcalloc(1, sizeof(*c->met));
	struct ratio *groups = xcalloc(c->groups * c->n_figures, sizeof(*groups));
	for (uint32_t row = 0; row < c->n; row++) {
		uint32_t group = hash_of(key_of(c, row)) & (c->groups - 1);
		meet(c, key_of(c, row));
		add_row(groups + group * c->n_figures, c->sums + row * c->n_figures, c->n_figures);
	}
	free(c->sums);
	free(c->keys);
	free(c->slots);
	c->sums = groups;
	c->keys = NULL;
	c->slots = NULL;
	c->n = c->cap = c->groups;
	c->folded = true;
}

uint32_t clusters_row(struct clusters *c, const uint8_t key[CLUSTERS_KEY_SIZE])
{
	uint32_t hash = hash_of(key);
	if (c->folded) {
		meet(c, key);
		return hash & (c->groups - 1);
	}
	if (c->n == c->cap && c->cap < c->limit) {
		grow(c);
	}
	uint32_t *slot = slot_of(c, hash, key);
	if (*slot != EMPTY) {
		return *slot & ROW_MASK;
	}
	if (c->n == c->limit) {
		fold(c);
		return clusters_row(c, key);
	}
	fill_slot(slot, hash, c->n);
	memcpy(c->keys + (size_t)c->n * CLUSTERS_KEY_SIZE, key, CLUSTERS_KEY_SIZE);
	memset(c->sums + c->n * c->n_figures, 0, c->n_figures * sizeof(*c->sums));
	return c->n++;
}

size_t clusters_count(const struct clusters *c)
{
	return c ? c->n : 0;
}

double clusters_number(const struct clusters *c)
{
	return c && c->folded ? sketch_number(c->met) : (double)clusters_count(c);
}

bool clusters_are_folded(const struct clusters *c)
{
	return c->folded;
}

void clusters_add(struct clusters *c, uint32_t row, size_t figure, double part, double whole)
{
	expect(row < c->n && figure < c->n_figures);
	struct ratio *r = &c->sums[row * c->n_figures + figure];
	r->part += part;
	r->whole += whole;
}

void clusters_merge(struct clusters *c, const struct clusters *other)
{
	expect(c->n_figures == other->n_figures && c->limit == other->limit);
	if (other->folded && !c->folded) {
		fold(c);
	}
	if (other->folded) {
		sketch_merge(c->met, other->met);
	}
	for (uint32_t from = 0; from < other->n; from++) {
		uint32_t row = other->folded ? from : clusters_row(c, key_of(other, from));
		add_row(c->sums + row * c->n_figures, other->sums + from * c->n_figures,
		        c->n_figures);
	}
}

struct ratio clusters_total_of(const struct clusters *c, size_t figure)
{
	struct ratio total = {0};
	for (uint32_t row = 0; row < c->n; row++) {
		total.part += clusters_sums(c, row, figure)->part;
		total.whole += clusters_sums(c, row, figure)->whole;
	}
	return total;
}

size_t clusters_having(const struct clusters *c, size_t figure)
{
	size_t n = 0;
	for (uint32_t row = 0; row < c->n; row++) {
		n += clusters_sums(c, row, figure)->whole > 0;
	}
	return n;
}

double clusters_squares(const struct clusters *c, size_t figure, size_t *ret_n)
{
	struct ratio total = clusters_total_of(c, figure);
	double squares = 0;
	*ret_n = 0;
	for (uint32_t row = 0; row < c->n && total.whole > 0; row++) {
		const struct ratio *r = clusters_sums(c, row, figure);
		double share = (r->part - total.part / total.whole * r->whole) / total.whole;
		squares += share * share;
		*ret_n += r->whole > 0;
	}
	return squares;
}

void clusters_total(const struct clusters *c, size_t figure, double *ret_part, double *ret_whole)
{
	struct ratio total = clusters_total_of(c, figure);
	*ret_part = total.part;
	*ret_whole = total.whole;
}
