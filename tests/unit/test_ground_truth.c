/*
 * The figures of truncated lists against the truth: the simulated engine's whole distributions.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <criterion/criterion.h>

#include "analyzer/compare/tokens/position.h"
#include "backends/engine/language.h"
#include "backends/engine/ranking.h"
#include "base/mem.h"
#include "rounds.h"

#define POSITIONS ROUNDS(10000)

/* One side at one position. */
struct side {
	struct language_spread spread;
	double *lps; /* by id, of the whole vocabulary */
};

static uint32_t vocabulary;

static void fill(const struct language *l, struct side *s)
{
	double normaliser = language_normaliser(l, &s->spread);
	for (uint32_t id = 0; id < vocabulary; id++) {
		s->lps[id] = (double)language_tail_logit(l, &s->spread, id) - normaliser;
	}
	for (uint32_t i = 0; i < s->spread.n; i++) {
		s->lps[s->spread.items[i].id] = (double)s->spread.items[i].logit - normaliser;
	}
}

/* An engine's list: its k most probable tokens, with float32 logprobs. */
static struct columns list_of(const struct language *l, struct side *s, int k)
{
	struct columns_builder *b = columns_builder_create();
	struct columns c;
	struct ranking r;
	struct language_item item;
	struct language_spread copy = s->spread;
	ranking_init(&r, l, &copy, copy.items, copy.n);
	for (int i = 0; i < k && ranking_next(&r, &item); i++) {
		struct span bytes = vocabulary_bytes(item.id);
		float lp = (float)s->lps[item.id];
		if (i == 0) {
			columns_builder_token(b, bytes, (int32_t)item.id, lp, 0);
		}
		columns_builder_top(b, bytes, (int32_t)item.id, lp);
	}
	columns_builder_end(b, &c);
	return c;
}

struct truth {
	double kl, tv, js;
};

static struct truth truth_of(const struct side *p, const struct side *r)
{
	struct truth t = {0};
	for (uint32_t id = 0; id < vocabulary; id++) {
		double a = exp(p->lps[id]), b = exp(r->lps[id]), m = log((a + b) / 2);
		t.kl += a * (p->lps[id] - r->lps[id]);
		t.tv += fabs(a - b) / 2;
		t.js += (a * (p->lps[id] - m) + b * (r->lps[id] - m)) / 2;
	}
	return t;
}

Test(ground_truth, bounds_hold_it_at_every_position, .timeout = 110)
{
	static const struct language_numerics FAULTS[] = {{.noise = 0.003}, {.noise = 0.1},
	        {.noise = 1, .noise_seed = 3}, {.step = 0.25}, {.noise = 0.02, .step = 0.5}};
	struct language *l = language_create(7);
	vocabulary = vocabulary_size();
	struct side p = {.lps = xcalloc(vocabulary, sizeof(double))};
	struct side r = {.lps = xcalloc(vocabulary, sizeof(double))};
	struct language_state s;
	double tight = 0;
	language_begin(l, &s);
	for (int i = 0; i < POSITIONS; i++) {
		language_spread(l, &s, &r.spread);
		p.spread = r.spread;
		language_disturb(&FAULTS[i % (int)ARRAY_LEN(FAULTS)], &s, &p.spread);
		fill(l, &r);
		fill(l, &p);
		struct columns base = list_of(l, &r, 1 + i % 20);
		struct columns test = list_of(l, &p, 1 + i / 3 % 20);
		struct position both;
		struct bounds b;
		struct truth t = truth_of(&p, &r);
		struct listing r_list = listing_at(&base, 0);
		struct listing p_list = listing_at(&test, 0);
		position_read(&r_list, &p_list, &both);
		position_bounds(&both, 0, &b);
		/* Only the rounding of float32 logprobs is allowed. */
		cr_assert_leq(b.kl_low, t.kl + 1e-6, "%d: KL %g > %g", i, b.kl_low, t.kl);
		cr_assert(b.tv_low <= t.tv + 1e-6 && t.tv <= b.tv_high + 1e-6, "%d: TV", i);
		cr_assert(b.js_low <= t.js + 1e-6 && t.js <= b.js_high + 1e-6, "%d: JS", i);
		tight += t.kl > 1e-4 ? b.kl_low / t.kl / POSITIONS : 0;
		columns_finish(&base);
		columns_finish(&test);
		language_push(l, &s, r.spread.items[i % 3].id);
	}
	cr_assert_gt(tight, 0.1, "a bound of nothing would hold as well: %f", tight);
	free(p.lps);
	free(r.lps);
	language_destroy(l);
}
