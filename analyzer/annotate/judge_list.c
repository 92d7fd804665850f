#include "analyzer/annotate/judge_list.h"

#include <stdlib.h>
#include <string.h>

#include <xxhash.h>

#include "analyzer/compare/meaning/formula.h"
#include "base/grow.h"

#define TOKEN_BYTES 4 /* approximately */

struct items {
	struct judge_item *items;
	size_t n, cap;
};

struct walk {
	const struct judge_options *judging;
	struct judge_list *list;
	struct items undecided, checks; /* checks: those with the smallest `order`, sorted by it */
	struct format forms;            /* working space */
};

static struct judge_item *insert(struct items *to, size_t at)
{
	to->items = grow(to->items, to->n, &to->cap, sizeof(*to->items));
	memmove(&to->items[at + 1], &to->items[at], (to->n - at) * sizeof(*to->items));
	to->n++;
	return &to->items[at];
}

static uint64_t order_of(const struct pair_texts *p)
{
	const struct capture_leg *legs = p->e->legs;
	const struct id ids[2] = {legs[p->pair.base].row.id, legs[p->pair.test].row.id};
	return XXH3_64bits_withSeed(ids, sizeof(ids), (uint64_t)p->base->index);
}

/* NULL: the pair can be judged, that is, the judge model can be shown both answers, or, for
 * mathematics, both values can be passed to the library. Else the count for the reason why not. */
static uint64_t *why_not_texts(struct walk *w, struct span a, struct span b)
{
	struct judge_list *l = w->list;
	if (!w->judging->mathematics) {
		return MAX(a.len, b.len) > OPINION_ANSWER_LIMIT ? &l->too_long : NULL;
	}
	struct formula x, y;
	bool found = formula_read(&w->forms.a, a, &x);
	found = formula_read(&w->forms.b, b, &y) && found;
	if (!found) {
		return &l->unmarked;
	}
	return span_equal(x.before, y.before) && span_equal(x.after, y.after) ? NULL : &l->unlike;
}

/* The count of the pairs that are not judged for the same reason as this one. NULL: this pair
 * can be judged. */
static uint64_t *why_not(struct walk *w, const struct pair_texts *p, size_t *ret_bytes)
{
	struct judge_list *l = w->list;
	struct buf a = {0}, b = {0};
	choice_answer(p->base, &a);
	choice_answer(p->test, &b);
	*ret_bytes = a.len + b.len;
	bool cut = meaning_is_cut(p->base) || meaning_is_cut(p->test);
	uint64_t *why = cut                                            ? &l->cut
	                : p->base->n_calls > 0 || p->test->n_calls > 0 ? &l->calls
	                : a.len == 0 || b.len == 0                     ? &l->empty
	                                           : why_not_texts(w, buf_span(&a), buf_span(&b));
	buf_finish(&a);
	buf_finish(&b);
	return why;
}

static struct judge_item item_of(const struct walk *w, const struct pair_texts *p, size_t bytes)
{
	const struct capture_exchange *e = p->e;
	struct opinion_legs found[OPINIONS_JUDGES];
	size_t n = w->judging->judge ? opinions_find(e, &p->pair, p->base->index, found) : 0;
	struct judge_item item = {
	        .exchange = e->row.id,
	        .base = e->legs[p->pair.base].row.id,
	        .test = e->legs[p->pair.test].row.id,
	        .choice = p->base->index,
	        .need_base_first = true,
	        .need_test_first = true,
	        .order = order_of(p),
	        .bytes = OPINION_OVERHEAD_BYTES + bytes +
	                 MIN(e->row.body_bytes, (uint64_t)OPINION_REQUEST_LIMIT),
	};
	for (size_t i = 0; i < n; i++) {
		if (strcmp(found[i].judge, w->judging->judge) == 0) {
			item.need_base_first = found[i].base_first == e->n_legs;
			item.need_test_first = found[i].test_first == e->n_legs;
		}
	}
	return item;
}

static bool is_needed(const struct judge_item *item)
{
	return item->need_base_first || item->need_test_first;
}

static void add_undecided(struct walk *w, const struct pair_texts *p)
{
	struct judge_list *l = w->list;
	size_t bytes;
	uint64_t *out = why_not(w, p, &bytes);
	l->undecided++;
	if (out) {
		++*out;
		return;
	}
	struct judge_item item = item_of(w, p, bytes);
	if (!is_needed(&item)) {
		l->already++;
	} else {
		*insert(&w->undecided, w->undecided.n) = item;
	}
}

/* Takes a random sample: keeps the wanted number of pairs, those with the lowest numbers. */
static void add_check(struct walk *w, const struct pair_texts *p)
{
	struct items *kept = &w->checks;
	uint64_t order = order_of(p);
	size_t bytes;
	if (why_not(w, p, &bytes)) {
		w->list->checks_unusable++;
		return;
	}
	if (kept->n == w->judging->checks && order >= kept->items[kept->n - 1].order) {
		return;
	}
	size_t at = kept->n;
	while (at > 0 && kept->items[at - 1].order > order) {
		at--;
	}
	kept->n -= kept->n == w->judging->checks;
	*insert(kept, at) = item_of(w, p, bytes);
}

/* Takes the greedy pairs, because an analysis's first figures are about these. */
static void take(void *arg, const struct row *taken, const struct pair_texts *p)
{
	struct walk *w = arg;
	const struct pair_row *row = &taken->pair;
	enum meaning_class class = row->c.meaning.class;
	if (!p || row->is_floor) {
		return;
	}
	if (row->c.decoding != DECODING_GREEDY) {
		w->list->not_greedy++;
		return;
	}
	w->list->pairs++;
	if (class == MEANING_UNDECIDED) {
		add_undecided(w, p);
	} else if (class == MEANING_IDENTICAL || class == MEANING_STRUCTURAL) {
		/* Not a check: if the texts are equal or the answers are of different kinds, every
		 * judge agrees. */
		w->list->checks_alike++;
	} else if (w->judging->checks > 0) {
		add_check(w, p);
	}
}

void judge_list_make(struct capture *c, const struct analysis_options *options,
        const struct judge_options *judging, struct judge_list *ret)
{
	struct walk w = {.judging = judging, .list = ret};
	struct exchange_counts counts;
	struct repeat_counts repeats;
	*ret = (struct judge_list){.pairs = 0};
	const struct row_sink sink = {UINT32_C(1) << PAIR_ROW, take, &w};
	capture_walk_part(c, options, &sink, &counts, &repeats);
	format_finish(&w.forms);
	w.undecided.n = ret->n_undecided = MIN(w.undecided.n, judging->limit);
	for (size_t i = 0; i < w.checks.n; i++) {
		if (!is_needed(&w.checks.items[i])) {
			ret->checks_already++;
		} else if (w.undecided.n < judging->limit) {
			*insert(&w.undecided, w.undecided.n) = w.checks.items[i];
		}
	}
	ret->items = w.undecided.items;
	ret->n_checks = w.undecided.n - ret->n_undecided;
	free(w.checks.items);
}

void judge_list_finish(struct judge_list *l)
{
	free(l->items);
	*l = (struct judge_list){0};
}

size_t judge_list_pairs(const struct judge_list *l)
{
	return l->n_undecided + l->n_checks;
}

static unsigned requests_of(const struct judge_item *item)
{
	return (unsigned)item->need_base_first + (unsigned)item->need_test_first;
}

uint64_t judge_list_requests(const struct judge_list *l)
{
	uint64_t n = 0;
	for (size_t i = 0; i < judge_list_pairs(l); i++) {
		n += requests_of(&l->items[i]);
	}
	return n;
}

uint64_t judge_list_tokens(const struct judge_list *l)
{
	uint64_t bytes = 0;
	for (size_t i = 0; i < judge_list_pairs(l); i++) {
		const struct judge_item *item = &l->items[i];
		bytes += requests_of(item) * item->bytes;
	}
	return bytes / TOKEN_BYTES;
}
