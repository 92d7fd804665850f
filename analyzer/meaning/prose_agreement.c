#include <string.h>

#include "analyzer/meaning/prose.h"

#define LOOP_PERIOD_MAX 64
#define LOOP_WORDS_MIN 32
#define EDIT_SIMILARITY 0.7f /* above it a difference is an edit of the same text */
#define SCANS_MOST 16        /* for names among shared words; then all words are sorted */
#define SORT_SOME 48         /* words from which on sorting by a byte pays */
#define SORT_MANY 2048 /* ... from which on words that share some bytes must not cost squares */

static void sort_some(struct prose_word *a, size_t n)
{
	for (size_t i = 1; i < n; i++) {
		struct prose_word w = a[i];
		size_t k = i;
		for (; k && a[k - 1].hash > w.hash; k--) {
			a[k] = a[k - 1];
		}
		a[k] = w;
	}
}

/* By the bytes of the hash above `shift`, the lowest first; returns where they are then. */
static struct prose_word *sort_by_bytes(
        struct prose_word *a, struct prose_word *b, size_t n, int shift)
{
	for (; shift < 64; shift += 8) {
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
	return a;
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
	if (w.n >= SORT_MANY) {
		return (struct words){sort_by_bytes(a, a + w.n, w.n, 0), w.n};
	}
	if (w.n >= SORT_SOME) {
		a = sort_by_bytes(a, a + w.n, w.n, 56);
	}
	sort_some(a, w.n);
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

/* Is one of these words, all of one hash, a name that only they have? */
static bool is_own_name(struct overlap *o, const struct prose_word *w, size_t n)
{
	bool name = false;
	for (size_t i = 0; i < n; i++) {
		name |= (w[i].flags & PROSE_NAME) != 0;
	}
	bool looks = name && (o->head.n || o->tail.n);
	o->scans += looks;
	return looks && o->scans <= SCANS_MOST ? !has(o->head, w->hash) && !has(o->tail, w->hash)
	                                       : name;
}

/* Words of one hash, the same in both, or in one alone. */
static void add_run(struct overlap *o, const struct prose_word *a, size_t n_a,
        const struct prose_word *b, size_t n_b)
{
	size_t numbers_a = 0, numbers_b = 0;
	for (size_t i = 0; i < n_a; i++) {
		numbers_a += (a[i].flags & PROSE_NUMBER) != 0;
	}
	for (size_t i = 0; i < n_b; i++) {
		numbers_b += (b[i].flags & PROSE_NUMBER) != 0;
	}
	o->names_a = o->names_a || (n_b == 0 && is_own_name(o, a, n_a));
	o->names_b = o->names_b || (n_a == 0 && is_own_name(o, b, n_b));
	o->common += MIN(n_a, n_b);
	o->numbers_a += numbers_a;
	o->numbers_b += numbers_b;
	o->numbers += MIN(numbers_a, numbers_b);
}

static void add_all(struct overlap *o, struct words a, struct words b)
{
	for (size_t i = 0, k = 0; i < a.n || k < b.n;) {
		bool of_a = k == b.n || (i < a.n && a.items[i].hash <= b.items[k].hash);
		uint64_t hash = of_a ? a.items[i].hash : b.items[k].hash;
		size_t from_a = i, from_b = k;
		while (i < a.n && a.items[i].hash == hash) {
			i++;
		}
		while (k < b.n && b.items[k].hash == hash) {
			k++;
		}
		add_run(o, a.items + from_a, i - from_a, b.items + from_b, k - from_b);
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
	add_all(&o, sorted(a, &p->order), sorted(b, &q->order));
	o.common += o.head.n + o.tail.n;
	if (o.scans > SCANS_MOST) {
		add_all(&all, sorted(words_of(p), &p->order), sorted(words_of(q), &q->order));
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
