#pragma once
/*
 * made_lists - lists of alternatives as two engines might tell them of the same positions: made up, from
 * random_state.
 */
#include <math.h>
#include <stdio.h>

#include "analyzer/tokens/listing.h"
#include "base/check.h"
#include "reading/columns.h"
#include "seeded.h"

#define POOL 14

/* Are there tokens that seem to be others: by their beginnings, or in all but the id? */
static bool with_doubts;

static inline double unit(void)
{
	return (double)(rnd() >> 11) * 0x1p-53;
}

/* Some are longer than a key; each of these has a twin, POOL further on, that begins as it does. */
static inline bool is_long(size_t i)
{
	return i % POOL % 3 == 0;
}

static inline struct span word(size_t i, char text[24])
{
	const char *more = !is_long(i) ? "" : i < POOL ? " functional" : " functioned";
	snprintf(text, 24, "%c%s", (char)('a' + i % POOL), more);
	return span_of(text);
}

struct made {
	size_t words[LISTING_PLAIN], chosen;
	float lps[LISTING_PLAIN];
	bool twin;    /* of the word that seems to be chosen: the list has it not */
	bool renamed; /* the last one's id is another */
};

static inline void put(struct columns_builder *b, const struct made *m, bool ids)
{
	char text[24];
	for (size_t i = 0; i < LISTING_PLAIN; i++) {
		bool renamed = m->renamed && i == LISTING_PLAIN - 1;
		int32_t id = (int32_t)(m->words[i] + (renamed ? 1000 : 0));
		columns_builder_row(b, word(m->words[i], text), ids ? id : -1, m->lps[i]);
	}
	size_t chosen = m->words[m->chosen] + (m->twin ? POOL : 0);
	columns_builder_commit(b, word(chosen, text), -1, m->lps[m->chosen], 0);
}

static inline void swap(struct made *m, size_t i, size_t k)
{
	size_t held = m->words[i];
	m->words[i] = m->words[k];
	m->words[k] = held;
}

/* A base's list, of which the greater part of the mass is told or little. */
static inline void make_base(struct made *m)
{
	size_t first = below(POOL);
	double left = below(2) ? 1 : unit();
	for (size_t i = 0; i < LISTING_PLAIN; i++) {
		double share = left * unit();
		left -= share;
		m->words[i] = (first + i) % POOL;
		m->lps[i] = below(20) ? (float)log(share + 1e-9) : -0.5F;
	}
	m->chosen = below(4) ? 0 : below(LISTING_PLAIN);
	m->twin = with_doubts && is_long(m->words[m->chosen]) && below(10) == 0;
	m->renamed = false;
}

/* What the test makes of it: the same tokens, the same in another order, or some others in their place. */
static inline void make_test(const struct made *base, struct made *m, bool equal)
{
	size_t others = below(3) ? 0 : 1 + below(LISTING_PLAIN - 1);
	*m = *base;
	for (size_t i = 0; i < LISTING_PLAIN && !equal; i++) {
		double noise = below(10) ? 0.05 * (unit() - 0.5) : unit() - 0.5;
		m->lps[i] = (float)fmin(0, (double)m->lps[i] * (1 + noise));
	}
	for (size_t i = 0; i < others; i++) {
		m->words[(m->chosen + 1 + i) % LISTING_PLAIN] =
		        (base->words[0] + LISTING_PLAIN + i) % POOL;
	}
	size_t odd = (m->chosen + 1 + below(LISTING_PLAIN - 1)) % LISTING_PLAIN;
	if (with_doubts && is_long(m->words[odd]) && below(4) == 0) {
		m->words[odd] += POOL;
	}
	m->renamed = with_doubts && below(8) == 0;
	if (below(4) == 0) {
		size_t from = m->chosen, to = below(LISTING_PLAIN);
		swap(m, from, to);
		m->chosen = to;
	}
}

/* So many positions, of which both sides' lists are made. */
static inline void make(size_t n, struct columns *ret_base, struct columns *ret_test)
{
	struct columns_builder *b = columns_builder_create(), *t = columns_builder_create();
	bool base_ids = below(3) == 0, test_ids = below(3) == 0;
	for (size_t i = 0; i < n; i++) {
		struct made base, test;
		make_base(&base);
		make_test(&base, &test, i % 9 == 0);
		put(b, &base, base_ids);
		put(t, &test, test_ids);
	}
	columns_builder_end(b, ret_base);
	columns_builder_end(t, ret_test);
}
