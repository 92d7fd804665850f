#include "analyzer/stats/clusters.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <xxhash.h>

#include "analyzer/stats/clusters_inside.h"
#include "base/check.h"
#include "base/mem.h"
#include "capture/record.h"

#define HASH_BITS 64

const uint8_t *clusters_key_of(const struct exchange_row *row)
{
	static const uint8_t none[REQUEST_HASH_SIZE];
	_Static_assert(REQUEST_HASH_SIZE == CLUSTERS_KEY_SIZE, "hashes are keys");
	const struct request_hashes *h = &row->hashes;
	return memcmp(h->session, none, sizeof(none)) != 0  ? h->session
	       : memcmp(h->prompt, none, sizeof(none)) != 0 ? h->prompt
	                                                    : row->id.bytes;
}

struct clusters *clusters_create_limited(size_t n_figures, uint32_t limit)
{
	expect(limit > 1);
	struct clusters *c = xcalloc(1, sizeof(*c));
	c->n_figures = n_figures;
	c->limit = limit;
	c->prefix = HASH_BITS;
	c->unknown = xcalloc(n_figures, sizeof(*c->unknown));
	return c;
}

struct clusters *clusters_create(size_t n_figures)
{
	return clusters_create_limited(n_figures, CLUSTERS_LIMIT);
}

struct clusters *clusters_of(struct clusters **c, size_t n_figures)
{
	*c = *c ? *c : clusters_create(n_figures);
	return *c;
}

void clusters_destroy(struct clusters *c)
{
	if (!c) {
		return;
	}
	free(c->order);
	free(c->sums);
	free(c->unknown);
	free(c->keys);
	free(c);
}

static struct exact_ratio *row_at(const struct clusters *c, uint32_t row)
{
	return c->sums + row * c->n_figures;
}

struct clusters *clusters_columns(const struct clusters *c, const size_t *figures, size_t n)
{
	if (!c) {
		return NULL;
	}
	struct clusters *ret = clusters_create_limited(n, c->limit);
	ret->n = c->n;
	ret->cap = c->cap;
	ret->prefix = c->prefix;
	if (c->cap > 0) {
		ret->order = xcalloc(c->cap, sizeof(*ret->order));
		ret->sums = xcalloc(c->cap * n + 1, sizeof(*ret->sums));
		memcpy(ret->order, c->order, c->n * sizeof(*ret->order));
	}
	for (size_t f = 0; f < n; f++) {
		ret->unknown[f] = c->unknown[figures[f]];
		for (uint32_t i = 0; i < c->n; i++) {
			ret->sums[i * n + f] = row_at(c, i)[figures[f]];
		}
	}
	if (c->keys) {
		ret->keys = xcalloc(1, sizeof(*ret->keys));
		*ret->keys = *c->keys;
	}
	return ret;
}

static void add_row(struct exact_ratio *to, const struct exact_ratio *from, size_t n)
{
	for (size_t f = 0; f < n; f++) {
		exact_sum_merge(&to[f].part, &from[f].part);
		exact_sum_merge(&to[f].whole, &from[f].whole);
	}
}

static uint64_t prefix_of(uint64_t hash, unsigned bits)
{
	return bits == 0 ? 0 : hash >> (HASH_BITS - bits) << (HASH_BITS - bits);
}

/* from now on a sketch counts the keys, because clusters are no longer separate. */
static void begin_groups(struct clusters *c)
{
	if (c->keys) {
		return;
	}
	c->keys = xcalloc(1, sizeof(*c->keys));
	for (uint32_t i = 0; i < c->n; i++) {
		sketch_add(c->keys, c->order[i].hash);
	}
}

/* Merges clusters that share a prefix of so many bits. */
static void group(struct clusters *c, unsigned bits)
{
	if (bits >= c->prefix) {
		return;
	}
	begin_groups(c);
	struct exact_ratio *old = c->sums;
	uint32_t n = c->n;
	c->sums = xcalloc(c->cap * c->n_figures + 1, sizeof(*c->sums));
	c->prefix = bits;
	c->n = 0;
	for (uint32_t i = 0; i < n; i++) {
		struct cluster own = {prefix_of(c->order[i].hash, bits), c->order[i].row};
		if (c->n == 0 || c->order[c->n - 1].hash != own.hash) {
			c->order[c->n] = (struct cluster){own.hash, c->n};
			c->n++;
		}
		add_row(row_at(c, c->n - 1), old + own.row * c->n_figures, c->n_figures);
	}
	free(old);
}

/* The longest prefix that two clusters share. */
static unsigned longest_shared(const struct clusters *c)
{
	unsigned longest = 0;
	for (uint32_t i = 1; i < c->n; i++) {
		uint64_t differing_bits = c->order[i].hash ^ c->order[i - 1].hash;
		longest = MAX(longest, (unsigned)__builtin_clzll(differing_bits));
	}
	return longest;
}

/* Returns the first cluster whose hash is not below `hash`. */
static uint32_t find(const struct clusters *c, uint64_t hash)
{
	uint32_t low = 0, high = c->n;
	while (low < high) {
		uint32_t middle = low + (high - low) / 2;
		if (c->order[middle].hash < hash) {
			low = middle + 1;
		} else {
			high = middle;
		}
	}
	return low;
}

static void insert(struct clusters *c, uint32_t at, uint64_t hash)
{
	if (c->n == c->cap) {
		/* One above the limit, for the cluster that is added before clusters are merged. */
		c->cap = MIN(c->cap ? 2 * c->cap : 64, c->limit + 1);
		c->order = xrealloc(c->order, c->cap * sizeof(*c->order));
		c->sums = xrealloc(c->sums, (c->cap * c->n_figures + 1) * sizeof(*c->sums));
	}
	memmove(c->order + at + 1, c->order + at, (c->n - at) * sizeof(*c->order));
	c->order[at] = (struct cluster){hash, c->n};
	memset(row_at(c, c->n), 0, c->n_figures * sizeof(*c->sums));
	c->n++;
}

static uint32_t row_of(struct clusters *c, uint64_t hash)
{
	uint64_t own = prefix_of(hash, c->prefix);
	uint32_t at = find(c, own);
	if (at < c->n && c->order[at].hash == own) {
		return c->order[at].row;
	}
	insert(c, at, own);
	if (c->n <= c->limit) {
		return c->order[at].row;
	}
	group(c, longest_shared(c));
	return row_of(c, hash);
}

uint32_t clusters_row(struct clusters *c, const uint8_t key[CLUSTERS_KEY_SIZE])
{
	uint64_t hash = XXH3_64bits(key, CLUSTERS_KEY_SIZE);
	if (c->keys) {
		sketch_add(c->keys, hash);
	}
	return row_of(c, hash);
}

size_t clusters_count(const struct clusters *c)
{
	return c ? c->n : 0;
}

double clusters_number(const struct clusters *c)
{
	return c && c->keys ? sketch_number(c->keys) : (double)clusters_count(c);
}

bool clusters_are_grouped(const struct clusters *c)
{
	return c && c->keys;
}

void clusters_add(struct clusters *c, uint32_t row, size_t figure, double part, double whole)
{
	expect(row < c->n && figure < c->n_figures);
	struct exact_ratio *r = &row_at(c, row)[figure];
	exact_sum_add(&r->part, part);
	exact_sum_add(&r->whole, whole);
	c->unknown[figure] |= !isfinite(part) || !isfinite(whole);
}

void clusters_merge(struct clusters **to, const struct clusters *other)
{
	if (!other) {
		return;
	}
	*to = *to ? *to : clusters_create_limited(other->n_figures, other->limit);
	struct clusters *c = *to;
	expect(c->n_figures == other->n_figures && c->limit == other->limit);
	if (other->keys) {
		begin_groups(c);
		sketch_merge(c->keys, other->keys);
		group(c, other->prefix);
	}
	for (uint32_t i = 0; i < other->n; i++) {
		const struct cluster *from = &other->order[i];
		if (c->keys && !other->keys) {
			sketch_add(c->keys, from->hash);
		}
		uint32_t row = row_of(c, from->hash);
		add_row(row_at(c, row), row_at(other, from->row), c->n_figures);
	}
	for (size_t f = 0; f < c->n_figures; f++) {
		c->unknown[f] |= other->unknown[f];
	}
}

struct ratio clusters_at(const struct clusters *c, uint32_t i, size_t figure)
{
	const struct exact_ratio *r = &row_at(c, c->order[i].row)[figure];
	return (struct ratio){exact_sum_value(&r->part), exact_sum_value(&r->whole)};
}

struct ratio clusters_total(const struct clusters *c, size_t figure)
{
	struct exact_ratio total = {0};
	for (uint32_t row = 0; c && row < c->n; row++) {
		add_row(&total, &row_at(c, row)[figure], 1);
	}
	double part = c && c->unknown[figure] ? NAN : exact_sum_value(&total.part);
	return (struct ratio){part, exact_sum_value(&total.whole)};
}

size_t clusters_having(const struct clusters *c, size_t figure)
{
	size_t n = 0;
	for (uint32_t row = 0; row < c->n; row++) {
		n += row_at(c, row)[figure].whole.units > 0;
	}
	return n;
}

double clusters_squares(const struct clusters *c, size_t figure, size_t *ret_n)
{
	struct ratio total = clusters_total(c, figure);
	double squares = 0;
	*ret_n = 0;
	for (uint32_t row = 0; total.whole > 0 && row < c->n; row++) {
		struct ratio r = clusters_at(c, row, figure);
		double share = (r.part - total.part / total.whole * r.whole) / total.whole;
		squares += share * share;
		*ret_n += r.whole > 0;
	}
	return squares;
}
