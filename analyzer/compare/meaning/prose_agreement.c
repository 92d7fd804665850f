#include <string.h>

#include "analyzer/compare/meaning/prose.h"

#define LOOP_PERIOD_MAX 64
#define LOOP_WORDS_MIN 32
#define EDIT_SIMILARITY 0.7f /* above it a difference is an edit of the same text */
#define SCANS_MOST 16        /* for names among shared words; then all words are sorted */
#define SORT_FROM 2048       /* words from which on those of one slot must not cost squares */

/* By the bytes of the hash, the lowest first; they are in a again then. */
static void sort_by_bytes(struct prose_word *a, struct prose_word *b, size_t n)
{
	for (int shift = 0; shift < 64; shift += 8) {
		uint32_t counts[257] = {0};
		for (size_t i = 0; i < n; i++) {
			counts[(a[i].hash >> shift & 0xff) + 1]++;
		}
		for (size_t i = 1; i < 257; i++) {
			counts[i] += counts[i - 1];
		}
		for (size_t i = 0; i < n; i++) {
			b[counts[a[i].hash >> shift & 0xff]++] = a[i];
		}
		struct prose_word *swap = a;
		a = b;
		b = swap;
	}
}

/* Words of a text, one behind the other. */
struct words {
	const struct prose_word *items;
	size_t n;
};

/* By their hashes, in `order`. */
static struct words sorted(struct words w, struct buf *order)
{
	buf_clear(order);
	buf_reserve(order, 2 * w.n * sizeof(struct prose_word) + 1);
	struct prose_word *a = (struct prose_word *)(void *)order->data;
	if (w.n) {
		memcpy(a, w.items, w.n * sizeof(*a));
	}
	sort_by_bytes(a, a + w.n, w.n);
	return (struct words){a, w.n};
}

struct overlap {
	struct words head, tail; /* what both begin and end with, not looked at */
	size_t scans;            /* of these */
	size_t common;
	size_t numbers_a, numbers_b, numbers;
	bool names_a, names_b; /* one that the other lacks */
	bool negations;        /* one has more */
};

static bool has(struct words w, uint64_t hash)
{
	size_t i = 0;
	while (i < w.n && w.items[i].hash != hash) {
		i++;
	}
	return i < w.n;
}

/* How often one word comes, on each side. */
struct count {
	uint64_t hash;
	uint32_t words[2];
	uint32_t numbers[2]; /* of these */
	bool name[2];        /* one of them is */
};

static inline void count_add(struct count *c, const struct prose_word *w, int side)
{
	c->words[side]++;
	c->numbers[side] += (w->flags & PROSE_NUMBER) != 0;
	c->name[side] |= (w->flags & PROSE_NAME) != 0;
}

/* A name that only this side has? */
static bool is_own_name(struct overlap *o, const struct count *c, int side)
{
	if (c->words[!side] || !c->name[side]) {
		return false;
	}
	bool looks = o->head.n || o->tail.n;
	o->scans += looks;
	return !looks || o->scans > SCANS_MOST ||
	       (!has(o->head, c->hash) && !has(o->tail, c->hash));
}

static void add_count(struct overlap *o, const struct count *c)
{
	o->names_a = o->names_a || is_own_name(o, c, 0);
	o->names_b = o->names_b || is_own_name(o, c, 1);
	o->common += MIN(c->words[0], c->words[1]);
	o->numbers_a += c->numbers[0];
	o->numbers_b += c->numbers[1];
	o->numbers += MIN(c->numbers[0], c->numbers[1]);
}

static void add_sorted(struct overlap *o, struct words a, struct words b)
{
	for (size_t i = 0, k = 0; i < a.n || k < b.n;) {
		bool of_a = k == b.n || (i < a.n && a.items[i].hash <= b.items[k].hash);
		uint64_t hash = of_a ? a.items[i].hash : b.items[k].hash;
		struct count c = {.hash = hash};
		while (i < a.n && a.items[i].hash == hash) {
			count_add(&c, &a.items[i++], 0);
		}
		while (k < b.n && b.items[k].hash == hash) {
			count_add(&c, &b.items[k++], 1);
		}
		add_count(o, &c);
	}
}

/* Counts of words, and where they are: + 1, in the first slot from its hash's on that was free. */
struct counts {
	struct count *items;
	size_t n;
	uint16_t slots[2 * SORT_FROM];
	int bits; /* of a hash, that tell its slot */
};

static void count_all(struct counts *c, struct words w, int side)
{
	size_t last = ((size_t)1 << c->bits) - 1;
	for (size_t i = 0; i < w.n; i++) {
		uint64_t hash = w.items[i].hash;
		size_t at = hash >> (64 - c->bits);
		while (c->slots[at] && c->items[c->slots[at] - 1].hash != hash) {
			at = (at + 1) & last;
		}
		if (!c->slots[at]) {
			c->items[c->n++] = (struct count){.hash = hash};
			c->slots[at] = (uint16_t)c->n;
		}
		count_add(&c->items[c->slots[at] - 1], &w.items[i], side);
	}
}

/* Fewer than SORT_FROM. There are twice as many slots, so that most words are in their own. */
static void add_counted(struct overlap *o, struct words a, struct words b, struct buf *room)
{
	struct counts c;
	buf_clear(room);
	c.items = (struct count *)(void *)buf_reserve(room, (a.n + b.n) * sizeof(*c.items));
	c.n = 0;
	c.bits = 1;
	while ((size_t)1 << c.bits < 2 * (a.n + b.n)) {
		c.bits++;
	}
	memset(c.slots, 0, sizeof(*c.slots) << c.bits);
	count_all(&c, a, 0);
	count_all(&c, b, 1);
	for (size_t i = 0; i < c.n; i++) {
		add_count(o, &c.items[i]);
	}
}

static void add_all(
        struct overlap *o, struct words a, struct words b, struct buf *room, struct buf *other)
{
	if (a.n + b.n < SORT_FROM) {
		add_counted(o, a, b, room);
	} else {
		add_sorted(o, sorted(a, room), sorted(b, other));
	}
}

static inline bool is_same(const struct prose_word *a, const struct prose_word *b)
{
	return a->hash == b->hash && a->flags == b->flags;
}

/* None of no words lies anywhere: there may be no array. */
static struct words part_of(struct words w, size_t from, size_t n)
{
	return n ? (struct words){w.items + from, n} : (struct words){0};
}

/* Takes off what both begin and end with. */
static void take_shared(struct overlap *o, struct words *a, struct words *b)
{
	size_t head = 0, tail = 0, least = MIN(a->n, b->n);
	while (head < least && is_same(&a->items[head], &b->items[head])) {
		head++;
	}
	while (head + tail < least &&
	        is_same(&a->items[a->n - 1 - tail], &b->items[b->n - 1 - tail])) {
		tail++;
	}
	o->head = part_of(*a, 0, head);
	o->tail = part_of(*a, a->n - tail, tail);
	*a = part_of(*a, head, a->n - head - tail);
	*b = part_of(*b, head, b->n - head - tail);
}

static struct words words_of(const struct prose *p)
{
	return (struct words){prose_words(p), prose_count(p)};
}

static size_t negations(struct words w)
{
	size_t n = 0;
	for (size_t i = 0; i < w.n; i++) {
		n += (w.items[i].flags & PROSE_NEGATION) != 0;
	}
	return n;
}

/* But for numbers that both begin or end with. */
static struct overlap overlap_of(struct prose *p, struct prose *q)
{
	struct words a = words_of(p), b = words_of(q);
	struct overlap o = {0}, all = {0};
	take_shared(&o, &a, &b);
	o.negations = negations(a) != negations(b);
	add_all(&o, a, b, &p->order, &q->order);
	o.common += o.head.n + o.tail.n;
	if (o.scans > SCANS_MOST) {
		add_all(&all, words_of(p), words_of(q), &p->order, &q->order);
		all.negations = o.negations;
		return all;
	}
	return o;
}

/* "a, and b and c", "a and b, and c": a comma before an "and" is at its author's choice, not where it stands. */
static bool are_joined_alike(struct span a, struct span b)
{
	bool only_a = false, only_b = false;
	for (size_t i = 0; i < a.len && i < b.len; i++) {
		only_a |= a.data[i] == ',' && b.data[i] != ',';
		only_b |= b.data[i] == ',' && a.data[i] != ',';
	}
	return !(only_a && only_b);
}

enum agreement prose_agreement(struct prose *a, struct prose *b, struct prose_difference *ret)
{
	*ret = (struct prose_difference){.similarity = 1};
	if (span_equal(buf_span(&a->form), buf_span(&b->form))) {
		return are_joined_alike(buf_span(&a->joints), buf_span(&b->joints))
		               ? AGREE_SAME
		               : AGREE_UNDECIDED;
	}
	struct overlap o = overlap_of(a, b);
	size_t all = prose_count(a) + prose_count(b);
	bool lacks_a = o.numbers < o.numbers_b, lacks_b = o.numbers < o.numbers_a;
	ret->similarity = 2.0f * (float)o.common / (float)MAX(all, 1);
	ret->numbers = lacks_a && lacks_b;
	ret->names = o.names_a && o.names_b;
	ret->negations = o.negations;
	ret->any = lacks_a || lacks_b || o.names_a || o.names_b || ret->negations;
	bool edit = ret->similarity >= EDIT_SIMILARITY;
	return edit && (ret->numbers || ret->names || ret->negations) ? AGREE_CHANGED
	                                                              : AGREE_UNDECIDED;
}

enum agreement prose_agreement_of(struct span a, struct span b, struct prose_difference *ret)
{
	struct prose x = {0}, y = {0};
	prose_read_both(&x, a, &y, b);
	enum agreement agreement = prose_agreement(&x, &y, ret);
	prose_finish(&x);
	prose_finish(&y);
	return agreement;
}

bool prose_loops(const struct prose *p)
{
	const struct prose_word *w = prose_words(p);
	size_t n = prose_count(p);
	for (size_t period = 1; period <= LOOP_PERIOD_MAX && period < n; period++) {
		size_t wants = MAX(4 * period, (size_t)LOOP_WORDS_MIN);
		if (n < wants) {
			break;
		}
		size_t same = period;
		while (same < wants && w[n - 1 - same + period].hash == w[n - 1 - same].hash) {
			same++;
		}
		if (same == wants) {
			return true;
		}
	}
	return false;
}
