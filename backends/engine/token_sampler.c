#include "backends/engine/token_sampler.h"

#include <math.h>
#include <stdlib.h>

#include "backends/engine/ranking.h"
#include "base/grow.h"
#include "base/mem.h"

/* bits of token_sampler.marks */
enum {
	AFFECTED = 1, /* it is in the list `affected` */
	IN_PROMPT = 2,
};

static void add_affected(struct token_sampler *s, uint32_t id)
{
	if (!s->marks[id]) {
		s->marks[id] = AFFECTED;
		tokens_push(&s->affected, id);
	}
}

void token_sampler_init(struct token_sampler *s, const struct language *l,
        const struct token_sampler_rules *rules, uint64_t seed)
{
	*s = (struct token_sampler){.language = l, .rules = rules, .random = rng_of(seed, 0x5a3b)};
	if (rules->temperature > 0) {
		s->tail_sum = language_tail_sum(l, rules->temperature);
	}
	bool has_penalties =
	        rules->repetition != 1 || rules->presence != 0 || rules->frequency != 0;
	if (!has_penalties && rules->n_bias == 0) {
		return;
	}
	uint32_t size = vocabulary_size();
	s->counts = xcalloc(size, sizeof(*s->counts));
	s->marks = xcalloc(size, 1);
	for (uint32_t i = 0; i < rules->n_bias; i++) {
		add_affected(s, rules->bias[i].id);
	}
}

void token_sampler_finish(struct token_sampler *s)
{
	free(s->counts);
	free(s->marks);
	free(s->items);
	tokens_finish(&s->affected);
	*s = (struct token_sampler){0};
}

void token_sampler_read(struct token_sampler *s, uint32_t id)
{
	if (s->counts && s->rules->repetition != 1) {
		add_affected(s, id);
		s->marks[id] |= IN_PROMPT;
	}
}

void token_sampler_add(struct token_sampler *s, uint32_t id)
{
	if (s->counts) {
		add_affected(s, id);
		if (s->counts[id] < UINT16_MAX) {
			s->counts[id]++;
		}
	}
}

static void add_item(struct token_sampler *s, uint32_t id, float logit)
{
	s->items = grow(s->items, s->n_items, &s->cap_items, sizeof(*s->items));
	s->items[s->n_items++] = (struct language_item){id, logit};
}

static float adjusted(const struct token_sampler *s, uint32_t id, float logit)
{
	const struct token_sampler_rules *rules = s->rules;
	expect(s->counts && s->marks);
	double x = (double)logit;
	for (uint32_t i = 0; i < rules->n_bias; i++) {
		x += rules->bias[i].id == id ? (double)rules->bias[i].logit : 0;
	}
	if (s->counts[id] || s->marks[id] & IN_PROMPT) {
		x = x > 0 ? x / rules->repetition : x * rules->repetition;
	}
	if (s->counts[id]) {
		x -= rules->presence + rules->frequency * s->counts[id];
	}
	return (float)x;
}

/* Collects the tokens whose logits differ from the tail's, with bias and penalties applied. */
static void collect(struct token_sampler *s, const struct language_spread *spread)
{
	s->n_items = 0;
	for (uint32_t i = 0; i < spread->n; i++) {
		struct language_item item = spread->items[i];
		add_item(s, item.id, s->counts ? adjusted(s, item.id, item.logit) : item.logit);
	}
	for (size_t i = 0; i < s->affected.n; i++) {
		uint32_t id = s->affected.items[i];
		if (language_candidate(spread, id) == spread->n) {
			float tail = language_tail_logit(s->language, spread, id);
			add_item(s, id, adjusted(s, id, tail));
		}
	}
}

static uint32_t greedy(const struct language_spread *spread)
{
	struct language_item best = spread->items[0];
	for (uint32_t i = 1; i < spread->n; i++) {
		struct language_item item = spread->items[i];
		if (item.logit > best.logit || (item.logit >= best.logit && item.id < best.id)) {
			best = item;
		}
	}
	return best.id;
}

/* The tokens that remain after min-p, top-k and top-p: the first ones of the ranking. */
struct remaining {
	double top;  /* the largest logit divided by the temperature */
	double mass; /* in units of exp(top) */
	uint32_t n;  /* tokens kept; UINT32_MAX: all */
};

/* Returns the mass of the whole vocabulary at temperature t, in units of exp(top). */
static double whole_mass(
        const struct token_sampler *s, const struct language_spread *spread, double t, double top)
{
	double tail_sum =
	        t == s->rules->temperature ? s->tail_sum : language_tail_sum(s->language, t);
	double mass = exp((double)spread->base / t - top) * tail_sum;
	for (uint32_t i = 0; i < s->n_items; i++) {
		double tail = (double)language_tail_logit(s->language, spread, s->items[i].id);
		mass += exp((double)s->items[i].logit / t - top) - exp(tail / t - top);
	}
	return mass;
}

/* Returns how many of the first tokens remain after min-p and top-k, and their mass at temperature
 * t. */
static uint32_t cut_by_min_p_and_k(
        const struct token_sampler_rules *rules, struct ranking *r, double t, double *ret_mass)
{
	struct language_item item = {0};
	double top = 0, mass = 0;
	uint32_t n = 0;
	ranking_rewind(r);
	while ((rules->top_k <= 0 || n < rules->top_k) && ranking_next(r, &item)) {
		top = n == 0 ? (double)item.logit / t : top;
		double p = exp((double)item.logit / t - top);
		if (p < rules->min_p) {
			break;
		}
		mass += p;
		n++;
	}
	*ret_mass = mass;
	return n;
}

/* Returns how many of the first tokens remain after all cuts. Top-p counts only the mass that
 * remains after min-p and top-k. */
static uint32_t cut(const struct token_sampler *s, const struct language_spread *spread,
        struct ranking *r, double logit_of_top)
{
	const struct token_sampler_rules *rules = s->rules;
	double t = rules->cuts_first ? 1 : rules->temperature, top = logit_of_top / t, mass,
	       sum = 0;
	uint32_t limit = UINT32_MAX, n = 0;
	struct language_item item;
	if (rules->top_k > 0 || rules->min_p > 0) {
		limit = cut_by_min_p_and_k(rules, r, t, &mass);
	} else {
		mass = whole_mass(s, spread, t, top);
	}
	ranking_rewind(r);
	while (n < limit && sum < rules->top_p * mass && ranking_next(r, &item)) {
		sum += exp((double)item.logit / t - top);
		n++;
	}
	return n;
}

static struct remaining remaining_after_cuts(
        const struct token_sampler *s, const struct language_spread *spread, struct ranking *r)
{
	const struct token_sampler_rules *rules = s->rules;
	struct language_item item = {0};
	(void)ranking_next(r, &item);
	struct remaining remaining = {
	        .top = (double)item.logit / rules->temperature, .n = UINT32_MAX};
	bool cuts = rules->top_p < 1 || rules->min_p > 0 || rules->top_k > 0;
	if (!cuts) {
		remaining.mass = whole_mass(s, spread, rules->temperature, remaining.top);
		return remaining;
	}
	remaining.n = cut(s, spread, r, (double)item.logit);
	ranking_rewind(r);
	for (uint32_t i = 0; i < remaining.n && ranking_next(r, &item); i++) {
		remaining.mass += exp((double)item.logit / rules->temperature - remaining.top);
	}
	return remaining;
}

uint32_t token_sampler_pick(struct token_sampler *s, const struct language_spread *spread)
{
	const struct token_sampler_rules *rules = s->rules;
	if (rules->temperature <= 0 && !s->counts) {
		return greedy(spread);
	}
	struct ranking r;
	struct language_item item = {0};
	collect(s, spread);
	ranking_init(&r, s->language, spread, s->items, s->n_items);
	if (rules->temperature <= 0) {
		(void)ranking_next(&r, &item);
		return item.id;
	}
	struct remaining remaining = remaining_after_cuts(s, spread, &r);
	double draw = rng_unit(&s->random) * remaining.mass;
	ranking_rewind(&r);
	for (uint32_t i = 0; i < remaining.n && ranking_next(&r, &item); i++) {
		draw -= exp((double)item.logit / rules->temperature - remaining.top);
		if (draw <= 0) {
			break;
		}
	}
	return item.id;
}

uint32_t token_sampler_processed(struct token_sampler *s, const struct language_spread *spread,
        uint32_t id, bool masked, float *ret_logprob, struct language_item *ret_top, uint32_t max)
{
	struct ranking r;
	struct language_item item;
	struct remaining remaining = {.n = 1, .mass = 1};
	double t = s->rules->temperature > 0 ? s->rules->temperature : 1;
	collect(s, spread);
	ranking_init(&r, s->language, spread, s->items, s->n_items);
	if (s->rules->temperature > 0) {
		remaining = remaining_after_cuts(s, spread, &r);
		ranking_rewind(&r);
	} else {
		/* Greedy ignores the temperature: it uses the whole penalised distribution. */
		struct token_sampler_rules plain = {.temperature = 1, .top_p = 1};
		struct token_sampler whole = *s;
		whole.rules = &plain;
		whole.tail_sum = language_tail_sum(s->language, 1);
		remaining = remaining_after_cuts(&whole, spread, &r);
		ranking_rewind(&r);
	}
	uint32_t n = 0;
	bool found = false;
	*ret_logprob = -INFINITY;
	uint32_t limit = masked ? UINT32_MAX : remaining.n;
	for (uint32_t i = 0; i < limit && (n < max || !found) && ranking_next(&r, &item); i++) {
		double log_share = (double)item.logit / t - remaining.top - log(remaining.mass);
		float logprob = i < remaining.n ? (float)log_share : -INFINITY;
		if (item.id == id) {
			*ret_logprob = logprob;
			found = true;
		}
		if (n < max) {
			ret_top[n++] = (struct language_item){item.id, logprob};
		}
	}
	return n;
}
