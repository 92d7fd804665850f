#include "tests/truth/pool.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/rows/examine_score.h"
#include "backends/engine/language.h"
#include "backends/engine/ranking.h"
#include "base/mem.h"
#include "base/rng.h"

#define TOP 5
#define LEAST_TOKENS 6
#define MOST_TOKENS 16

static const double NOISES[POOL_NOISES] = {0.03, 0.3};

struct maker {
	struct language *language;
	struct comparison_room room;
	struct rng random;
};

static void list(struct columns_builder *b, const struct language *l,
        const struct language_spread *spread, uint32_t chosen)
{
	struct language_spread copy = *spread;
	struct language_item item;
	struct ranking ranking;
	double normaliser = language_normaliser(l, spread);
	ranking_init(&ranking, l, &copy, copy.items, copy.n);
	double lp = (double)language_tail_logit(l, spread, chosen) - normaliser;
	for (uint32_t i = 0; i < spread->n; i++) {
		if (spread->items[i].id == chosen) {
			lp = (double)spread->items[i].logit - normaliser;
		}
	}
	struct span bytes = vocabulary_bytes(chosen);
	bool first = ranking_next(&ranking, &item);
	columns_builder_token(b, bytes, (int32_t)chosen, (float)lp,
	        first && item.id == chosen ? 0 : TOKEN_NOT_TOP);
	for (int i = 0; i < TOP && first; i++) {
		bytes = vocabulary_bytes(item.id);
		columns_builder_top(
		        b, bytes, (int32_t)item.id, (float)((double)item.logit - normaliser));
		first = ranking_next(&ranking, &item);
	}
}

static uint32_t best_of(const struct language *l, const struct language_spread *spread)
{
	struct language_spread copy = *spread;
	struct language_item item = {0};
	struct ranking ranking;
	ranking_init(&ranking, l, &copy, copy.items, copy.n);
	return ranking_next(&ranking, &item) ? item.id : 0;
}

static uint64_t hash_of(struct span text)
{
	uint64_t hash = 0;
	for (size_t i = 0; i < text.len; i++) {
		hash = rng_mix_pair(hash, (uint8_t)text.data[i]);
	}
	return hash;
}

static struct reading reading_with(struct columns_builder *b)
{
	struct reading r = {.n_choices = 1,
	        .choices = xcalloc(1, sizeof(struct choice)),
	        .usage = {-1, -1, -1, -1, -1}};
	struct choice *c = &r.choices[0];
	columns_builder_end(b, &c->columns);
	c->has_columns = true;
	for (uint32_t i = 0; i < c->columns.n; i++) {
		buf_append_span(&c->text, columns_token(&c->columns, i));
	}
	return r;
}

/*
 * A greedy answer to a prompt, with the engine's logprobs and, unless NULL, those of a scorer
 * without noise. It ends with a number of three possible values that depends on the whole text, so
 * answers in other words sometimes have the same result.
 */
static void answer(struct maker *m, struct language_state s, uint32_t length,
        const struct language_numerics *noise, struct reading *ret, struct reading *ret_scored)
{
	struct columns_builder *b = columns_builder_create(), *scored = columns_builder_create();
	struct buf text = {0};
	for (uint32_t i = 0; i < length; i++) {
		struct language_spread plain, spread;
		language_spread(m->language, &s, &plain);
		spread = plain;
		language_disturb(noise, &s, &spread);
		uint32_t token = best_of(m->language, &spread);
		if (token < TOKEN_CONTROLS) {
			break;
		}
		list(b, m->language, &spread, token);
		list(scored, m->language, &plain, token);
		buf_append_span(&text, vocabulary_bytes(token));
		language_push(m->language, &s, token);
	}
	char last[32];
	int n = snprintf(last, sizeof(last), "\n#### %u", (unsigned)(hash_of(buf_span(&text)) % 3));
	struct span number = {last, (size_t)n};
	columns_builder_token(b, number, -1, -0.01f, 0);
	columns_builder_top(b, number, -1, -0.01f);
	columns_builder_token(scored, number, -1, -0.01f, 0);
	columns_builder_top(scored, number, -1, -0.01f);
	*ret = reading_with(b);
	if (ret_scored) {
		*ret_scored = reading_with(scored);
	} else {
		struct columns unused;
		columns_builder_end(scored, &unused);
		columns_finish(&unused);
	}
	ret->choices[0].finish = xstrdup("stop");
	buf_finish(&text);
}

static void clear(struct reading *r)
{
	for (size_t i = 0; i < r->n_choices; i++) {
		buf_finish(&r->choices[i].text);
		columns_finish(&r->choices[i].columns);
		free(r->choices[i].finish);
	}
	free(r->choices);
	*r = (struct reading){0};
}

static void entry_finish(struct pool_entry *e)
{
	clear(&e->base);
	clear(&e->test);
	clear(&e->scored);
}

static void make(struct maker *m, double noise, struct pool_entry *ret)
{
	struct language_numerics none = {0},
	                         loud = {.noise = noise, .noise_seed = rng_next(&m->random)};
	struct language_state s;
	uint32_t length = LEAST_TOKENS + rng_below(&m->random, MOST_TOKENS - LEAST_TOKENS + 1);
	char gold[32];
	language_begin(m->language, &s);
	for (int i = 0; i < 4; i++) {
		language_push(m->language, &s, 300 + rng_below(&m->random, 2000));
	}
	*ret = (struct pool_entry){0};
	answer(m, s, length, &none, &ret->base, NULL);
	answer(m, s, length, &loud, &ret->test, &ret->scored);
	snprintf(gold, sizeof(gold), "%u", rng_below(&m->random, 3));
	const struct task task = {.question = QUESTION_NUMBER, .gold = span_of(gold)};
	const struct comparison_input in = {
	        .base = {&ret->base, ret->base.choices, GOLD_NONE},
	        .test = {&ret->test, ret->test.choices, GOLD_NONE},
	        .decoding = DECODING_GREEDY,
	        .task = &task,
	};
	ret->row.is_first = ret->row.has_choices = true;
	compare_pair(&m->room, &in, &ret->row.c);
	pair_facts_of(&ret->row.c, &ret->facts);
	ret->shift = (ret->facts.test_gold == GOLD_RIGHT) - (ret->facts.base_gold == GOLD_RIGHT);
}

void pool_tally(
        const struct pool_entry *e, const uint8_t cluster[CLUSTERS_KEY_SIZE], struct pair_sums *t)
{
	struct pair_row row = e->row;
	memcpy(row.exchange.cluster, cluster, sizeof(row.exchange.cluster));
	pair_sums_add(t, &row, &e->facts);
}

void pool_force(
        const struct pool_entry *e, const uint8_t cluster[CLUSTERS_KEY_SIZE], struct scores *f)
{
	static char of[] = "test", by[] = "base";
	static const struct leg_row legs[] = {{.backend = of, .role = ROLE_PRIMARY},
	        {.backend = by, .role = ROLE_REFERENCE, .marks = LEG_SCORED}};
	static const char GREEDY[] = "{\"temperature\":0}";
	struct request_facts facts;
	const struct request_words words = {0};
	request_read(ENDPOINT_COMPLETION, (struct span){GREEDY, sizeof(GREEDY) - 1}, &facts);
	const struct score_input in = {.scorer = &legs[1],
	        .of = &legs[0],
	        .scored = &e->scored,
	        .answer = &e->test,
	        .decoding = {.facts = &facts,
	                .endpoint = ENDPOINT_COMPLETION,
	                .dialect = &dialect_generic},
	        .words = &words};
	struct score_row row = {.scorer.name = by, .of.name = of};
	memcpy(row.exchange.cluster, cluster, sizeof(row.exchange.cluster));
	examine_score(&in, &row);
	scores_add(f, &row);
}

static void take_sums(const struct pool_entry *entries, struct pool_sums *ret)
{
	static const uint8_t cluster[CLUSTERS_KEY_SIZE];
	struct pair_sums tally = {0};
	struct scores forced = {0};
	*ret = (struct pool_sums){0};
	for (size_t i = 0; i < POOL_CELL; i++) {
		const struct pool_entry *e = &entries[i];
		const struct pair_facts *facts = &e->facts;
		pool_tally(e, cluster, &tally);
		pool_force(e, cluster, &forced);
		ret->changed += facts->changed;
		ret->may_change += facts->changed || !facts->decided;
		ret->tokens_differ += facts->tokens_differ;
		ret->at_risk += (double)facts->at_risk;
		ret->tops += (double)facts->tops;
		ret->tops_differ += (double)(facts->tops - facts->tops_equal);
		ret->shift += e->shift;
		ret->scores_move += e->shift != 0;
	}
	for (size_t f = 0; f < N_FIGURES; f++) {
		struct ratio r = clusters_total(tally.clusters, f);
		ret->part[f] = r.part;
		ret->whole[f] = r.whole;
	}
	const struct clusters *scores = forced.clusters[DECODING_GREEDY];
	for (size_t f = 0; f < N_SCORE_FIGURES; f++) {
		struct ratio r = clusters_total(scores, f);
		ret->forced_part[f] = r.part;
		ret->forced_whole[f] = r.whole;
	}
	pair_sums_finish(&tally);
	scores_finish(&forced);
}

/* Chance decides which answers differ; an answer whose cell is full is dropped. */
static void fill(struct maker *m, struct pool *p, size_t noise)
{
	size_t n[2] = {0};
	while (n[0] < POOL_CELL || n[1] < POOL_CELL) {
		struct pool_entry e;
		make(m, NOISES[noise], &e);
		size_t differs = e.facts.differ;
		if (n[differs] == POOL_CELL) {
			entry_finish(&e);
			continue;
		}
		p->cells[differs][noise][n[differs]++] = e;
	}
	for (size_t differs = 0; differs < 2; differs++) {
		take_sums(p->cells[differs][noise], &p->sums[differs][noise]);
	}
}

struct pool *pool_create(uint64_t seed)
{
	struct maker m = {.language = language_create(seed), .random = {seed + RNG_STEP}};
	struct pool *p = xcalloc(1, sizeof(*p));
	for (size_t noise = 0; noise < POOL_NOISES; noise++) {
		fill(&m, p, noise);
	}
	comparison_room_finish(&m.room);
	language_destroy(m.language);
	return p;
}

void pool_destroy(struct pool *p)
{
	for (size_t i = 0; i < 2 * POOL_NOISES * POOL_CELL; i++) {
		entry_finish(&p->cells[i / (POOL_NOISES * POOL_CELL)][i / POOL_CELL % POOL_NOISES]
		                      [i % POOL_CELL]);
	}
	free(p);
}
