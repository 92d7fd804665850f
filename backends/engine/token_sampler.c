#include "backends/engine/token_sampler.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "backends/engine/ranking.h"
#include "base/mem.h"
#include "base/rng.h"

static bool has_penalties(const struct token_sampler_rules *how)
{
	return how->repetition != 1 || how->presence != 0 || how->frequency != 0;
}

static void touch(struct token_sampler *s, uint32_t id)
{
	if (s->counts[id] == 0 && !s->in_prompt[id]) {
		tokens_push(&s->touched, id);
	}
}

void token_sampler_init(struct token_sampler *s, const struct language *l,
        const struct token_sampler_rules *how, uint64_t seed, const uint32_t *prompt,
        size_t n_prompt)
{
	*s = (struct token_sampler){.language = l, .how = how, .random = rng_of(seed, 0x5a3b)};
	if (how->temperature > 0) {
		s->tail_sum = language_tail_sum(l, how->temperature);
	}
	if (!has_penalties(how) && how->n_bias == 0) {
		return;
	}
	uint32_t size = vocabulary_size();
	s->counts = xcalloc(size, sizeof(*s->counts));
	s->in_prompt = xcalloc(size, 1);
	for (size_t i = 0; how->repetition != 1 && i < n_prompt; i++) {
		touch(s, prompt[i]);
		s->in_prompt[prompt[i]] = 1;
	}
	for (uint32_t i = 0; i < how->n_bias; i++) {
		touch(s, how->bias[i].id);
	}
}

void token_sampler_finish(struct token_sampler *s)
{
	free(s->counts);
	free(s->in_prompt);
	free(s->items);
	tokens_finish(&s->touched);
	*s = (struct token_sampler){0};
}

void token_sampler_add(struct token_sampler *s, uint32_t id)
{
	if (s->counts) {
		touch(s, id);
		if (s->counts[id] < UINT16_MAX) {
			s->counts[id]++;
		}
	}
}

static void add_item(struct token_sampler *s, uint32_t id, float logit)
{
	if (s->n_items == s->cap_items) {
		s->cap_items = s->cap_items ? 2 * s->cap_items : 2 * LANGUAGE_CANDIDATES;
		s->items = xrealloc(s->items, s->cap_items * sizeof(*s->items));
	}
	s->items[s->n_items++] = (struct language_item){id, logit};
}

static float adjusted(const struct token_sampler *s, uint32_t id, float logit)
{
	const struct token_sampler_rules *how = s->how;
	expect(s->counts && s->in_prompt);
	double x = (double)logit;
	for (uint32_t i = 0; i < how->n_bias; i++) {
		x += how->bias[i].id == id ? (double)how->bias[i].logit : 0;
	}
	if (s->counts[id] || s->in_prompt[id]) {
		x = x > 0 ? x / how->repetition : x * how->repetition;
	}
	if (s->counts[id]) {
		x -= how->presence + how->frequency * s->counts[id];
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
	for (size_t i = 0; i < s->touched.n; i++) {
		uint32_t id = s->touched.items[i];
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

/* What is kept after min-p, top-k and top-p: the first tokens of the ranking, and their mass. */
struct kept {
	double top;  /* the largest logit divided by the temperature */
	double mass; /* in units of exp(top) */
	uint32_t n;  /* tokens kept; UINT32_MAX: all */
};

/* The mass of the whole vocabulary at temperature t, in units of exp(top). */
static double whole_mass(
        const struct token_sampler *s, const struct language_spread *spread, double t, double top)
{
	double tail_sum =
	        t == s->how->temperature ? s->tail_sum : language_tail_sum(s->language, t);
	double mass = exp((double)spread->base / t - top) * tail_sum;
	for (uint32_t i = 0; i < s->n_items; i++) {
		double tail = (double)language_tail_logit(s->language, spread, s->items[i].id);
		mass += exp((double)s->items[i].logit / t - top) - exp(tail / t - top);
	}
	return mass;
}

/* The first tokens that min-p and top-k leave, and their mass at temperature t. */
static uint32_t leave(
        const struct token_sampler_rules *how, struct ranking *r, double t, double *ret_mass)
{
	struct language_item item = {0};
	double top = 0, mass = 0;
	uint32_t n = 0;
	ranking_rewind(r);
	while ((how->top_k <= 0 || n < how->top_k) && ranking_next(r, &item)) {
		top = n == 0 ? (double)item.logit / t : top;
		double p = exp((double)item.logit / t - top);
		if (p < how->min_p) {
			break;
		}
		mass += p;
		n++;
	}
	*ret_mass = mass;
	return n;
}

/* Returns how many of the first tokens remain after all cuts. Top-p applies to what min-p and
 * top-k leave. */
static uint32_t cut(const struct token_sampler *s, const struct language_spread *spread,
        struct ranking *r, double logit_of_top)
{
	const struct token_sampler_rules *how = s->how;
	double t = how->cuts_first ? 1 : how->temperature, top = logit_of_top / t, mass, sum = 0;
	uint32_t limit = UINT32_MAX, n = 0;
	struct language_item item;
	if (how->top_k > 0 || how->min_p > 0) {
		limit = leave(how, r, t, &mass);
	} else {
		mass = whole_mass(s, spread, t, top);
	}
	ranking_rewind(r);
	while (n < limit && sum < how->top_p * mass && ranking_next(r, &item)) {
		sum += exp((double)item.logit / t - top);
		n++;
	}
	return n;
}

static struct kept keep(
        const struct token_sampler *s, const struct language_spread *spread, struct ranking *r)
{
	const struct token_sampler_rules *how = s->how;
	struct language_item item = {0};
	(void)ranking_next(r, &item);
	struct kept kept = {.top = (double)item.logit / how->temperature, .n = UINT32_MAX};
	bool cuts = how->top_p < 1 || how->min_p > 0 || how->top_k > 0;
	if (!cuts) {
		kept.mass = whole_mass(s, spread, how->temperature, kept.top);
		return kept;
	}
	kept.n = cut(s, spread, r, (double)item.logit);
	ranking_rewind(r);
	for (uint32_t i = 0; i < kept.n && ranking_next(r, &item); i++) {
		kept.mass += exp((double)item.logit / how->temperature - kept.top);
	}
	return kept;
}

uint32_t token_sampler_pick(struct token_sampler *s, const struct language_spread *spread)
{
	const struct token_sampler_rules *how = s->how;
	if (how->temperature <= 0 && !s->counts) {
		return greedy(spread);
	}
	struct ranking r;
	struct language_item item = {0};
	collect(s, spread);
	ranking_init(&r, s->language, spread, s->items, s->n_items);
	if (how->temperature <= 0) {
		(void)ranking_next(&r, &item);
		return item.id;
	}
	struct kept kept = keep(s, spread, &r);
	double left = rng_unit(&s->random) * kept.mass;
	ranking_rewind(&r);
	for (uint32_t i = 0; i < kept.n && ranking_next(&r, &item); i++) {
		left -= exp((double)item.logit / how->temperature - kept.top);
		if (left <= 0) {
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
	struct kept kept = {.n = 1, .mass = 1};
	double t = s->how->temperature > 0 ? s->how->temperature : 1;
	collect(s, spread);
	ranking_init(&r, s->language, spread, s->items, s->n_items);
	if (s->how->temperature > 0) {
		kept = keep(s, spread, &r);
		ranking_rewind(&r);
	} else {
		/* Greedy ignores the temperature: it uses the whole penalised distribution. */
		struct token_sampler_rules plain = {.temperature = 1, .top_p = 1};
		struct token_sampler whole = *s;
		whole.how = &plain;
		whole.tail_sum = language_tail_sum(s->language, 1);
		kept = keep(&whole, spread, &r);
		ranking_rewind(&r);
	}
	uint32_t n = 0;
	bool found = false;
	*ret_logprob = -INFINITY;
	uint32_t limit = masked ? UINT32_MAX : kept.n;
	for (uint32_t i = 0; i < limit && (n < max || !found) && ranking_next(&r, &item); i++) {
		double known = (double)item.logit / t - kept.top - log(kept.mass);
		float logprob = i < kept.n ? (float)known : -INFINITY;
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
