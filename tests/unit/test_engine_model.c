/* The simulated engine's vocabulary, model and sampler, on which the analyzer's ground truth is
 * based. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <criterion/criterion.h>

#include "backends/engine/language.h"
#include "backends/engine/ranking.h"
#include "backends/engine/token_sampler.h"

static const char MANY_SCRIPTS[] =
        "caf\xc3\xa9 na\xc3\xafve Gr\xc3\xb6\xc3\x9f: \xe6\x9d\xb1\xe4\xba\xac "
        "\xf0\x9f\x90\xa7\xf0\x9f\x91\xa9\xe2\x80\x8d\xf0\x9f\x92\xbb";

static const char *const TEXTS[] = {
        "The river follows the old city.",
        "  spaces\t tabs\r\n and\n\nlines ",
        MANY_SCRIPTS,
        "not UTF-8: \xff\xfe\x80",
        "{\"city\": \"Paris\", \"days\": [1, 2.5]}",
        "",
};

Test(engine_model, any_text_is_encoded_and_decoded_to_the_same_bytes)
{
	for (size_t i = 0; i < ARRAY_LEN(TEXTS); i++) {
		struct tokens t = {0};
		struct buf back = {0};
		vocabulary_encode(span_of(TEXTS[i]), &t);
		for (size_t k = 0; k < t.n; k++) {
			buf_append_span(&back, vocabulary_bytes(t.items[k]));
		}
		cr_assert(span_is(buf_span(&back), TEXTS[i]), "%s", TEXTS[i]);
		tokens_finish(&t);
		buf_finish(&back);
	}
}

Test(engine_model, vocabulary_has_some_thousand_distinct_tokens)
{
	uint32_t size = vocabulary_size();
	cr_assert_gt(size, 3000);
	cr_assert_lt(size, 8192, "the sets of tokens in language and ranking hold 8192");
	for (uint32_t id = TOKEN_BYTE_0; id < size; id++) {
		struct tokens t = {0};
		vocabulary_encode(vocabulary_bytes(id), &t);
		cr_assert(t.n == 1 && t.items[0] == id,
		        "token %u is not the longest match of its own bytes", id);
		tokens_finish(&t);
	}
}

Test(engine_model, text_never_becomes_a_control_token)
{
	struct tokens t = {0};
	vocabulary_encode(SPAN("<think><|end|></think>"), &t);
	for (size_t i = 0; i < t.n; i++) {
		cr_assert_geq(t.items[i], TOKEN_BYTE_0);
	}
	tokens_finish(&t);
}

/* Walks the model greedily from a prompt and calls check at each position. */
static void walk(struct language *l, const char *prompt, int n,
        void (*check)(struct language *l, const struct language_state *s,
                struct language_spread *spread, void *arg),
        void *arg)
{
	struct language_state s;
	struct tokens t = {0};
	vocabulary_encode(span_of(prompt), &t);
	language_begin(l, &s);
	for (size_t i = 0; i < t.n; i++) {
		language_push(l, &s, t.items[i]);
	}
	for (int i = 0; i < n; i++) {
		struct language_spread spread;
		language_spread(l, &s, &spread);
		uint32_t top = spread.items[0].id;
		check(l, &s, &spread, arg);
		language_push(l, &s, top);
	}
	tokens_finish(&t);
}

static double brute_normaliser(struct language *l, const struct language_spread *spread)
{
	uint32_t size = vocabulary_size();
	double *logits = malloc(size * sizeof(*logits)), top = -INFINITY, sum = 0;
	for (uint32_t id = 0; id < size; id++) {
		logits[id] = (double)language_tail_logit(l, spread, id);
	}
	for (uint32_t i = 0; i < spread->n; i++) {
		logits[spread->items[i].id] = (double)spread->items[i].logit;
	}
	for (uint32_t id = 0; id < size; id++) {
		top = fmax(top, logits[id]);
	}
	for (uint32_t id = 0; id < size; id++) {
		sum += exp(logits[id] - top);
	}
	free(logits);
	return top + log(sum);
}

static void check_normaliser(struct language *l, const struct language_state *s,
        struct language_spread *spread, void *arg)
{
	cr_assert_float_eq(language_normaliser(l, spread), brute_normaliser(l, spread), 1e-6);
	language_disturb(arg, s, spread);
	cr_assert_float_eq(language_normaliser(l, spread), brute_normaliser(l, spread), 1e-6);
}

Test(engine_model, normaliser_equals_the_sum_over_the_whole_vocabulary)
{
	struct language *l = language_create(7);
	struct language_numerics numerics = {.noise = 0.5, .step = 0.25, .noise_seed = 3};
	walk(l, "The capital of France is", 200, check_normaliser, &numerics);
	language_destroy(l);
}

static void check_ranking(struct language *l, const struct language_state *s,
        struct language_spread *spread, void *arg)
{
	struct language_item items[LANGUAGE_CANDIDATES], item, last = {0, INFINITY};
	uint32_t size = vocabulary_size(), n = 0;
	bool *seen = calloc(size, sizeof(*seen));
	struct ranking r;
	memcpy(items, spread->items, sizeof(items));
	ranking_init(&r, l, spread, items, spread->n);
	double z = language_normaliser(l, spread), sum = 0;
	for (; ranking_next(&r, &item); n++) {
		cr_assert(!seen[item.id], "token %u comes twice", item.id);
		cr_assert(item.logit <= last.logit);
		seen[item.id] = true;
		last = item;
		sum += exp((double)item.logit - z);
	}
	cr_assert_eq(n, size);
	cr_assert_float_eq(sum, 1, 1e-6);
	free(seen);
}

Test(engine_model, ranking_gives_each_token_once_in_order_and_sums_to_one)
{
	struct language *l = language_create(7);
	walk(l, "Once upon a time", 40, check_ranking, NULL);
	language_destroy(l);
}

struct gaps {
	int n, near, exact, sure;
};

static void count_gaps(struct language *l, const struct language_state *s,
        struct language_spread *spread, void *arg)
{
	struct gaps *g = arg;
	float gap = spread->items[0].logit - spread->items[1].logit;
	g->n++;
	g->near += gap < 0.1f;
	g->exact += gap <= 0;
	g->sure += exp((double)spread->items[0].logit - language_normaliser(l, spread)) > 0.9;
}

Test(engine_model, a_few_percent_of_positions_are_near_ties)
{
	struct language *l = language_create(11);
	struct gaps g = {0};
	walk(l, "Near ties", 20000, count_gaps, &g);
	cr_assert(g.near > g.n / 100 && g.near < g.n / 20, "%d of %d", g.near, g.n);
	cr_assert(g.exact > 0 && g.exact < g.n / 100, "%d of %d", g.exact, g.n);
	cr_assert(g.sure > g.n / 5 && g.sure < g.n * 4 / 5, "%d of %d", g.sure, g.n);
	language_destroy(l);
}

static uint64_t fingerprint(uint64_t seed, const char *prompt)
{
	struct language *l = language_create(seed);
	struct language_state s;
	struct language_spread spread;
	struct tokens t = {0};
	uint64_t h = 0;
	vocabulary_encode(span_of(prompt), &t);
	language_begin(l, &s);
	for (size_t i = 0; i < t.n; i++) {
		language_push(l, &s, t.items[i]);
	}
	language_spread(l, &s, &spread);
	for (uint32_t i = 0; i < spread.n; i++) {
		uint32_t bits;
		memcpy(&bits, &spread.items[i].logit, sizeof(bits));
		h = h * 31 + spread.items[i].id + bits;
	}
	tokens_finish(&t);
	language_destroy(l);
	return h;
}

Test(engine_model, logits_depend_on_seed_and_the_whole_prefix_and_on_nothing_else)
{
	cr_assert_eq(fingerprint(1, "The old river"), fingerprint(1, "The old river"));
	cr_assert_neq(fingerprint(1, "The old river"), fingerprint(2, "The old river"));
	cr_assert_neq(fingerprint(1, "The old river"), fingerprint(1, "A old river"));
}

static struct language_spread spread_after(
        struct language *l, const char *prompt, struct tokens *ret_prompt)
{
	struct language_state s;
	struct language_spread spread;
	vocabulary_encode(span_of(prompt), ret_prompt);
	language_begin(l, &s);
	for (size_t i = 0; i < ret_prompt->n; i++) {
		language_push(l, &s, ret_prompt->items[i]);
	}
	language_spread(l, &s, &spread);
	return spread;
}

Test(engine_model, sampling_follows_the_distribution)
{
	struct language *l = language_create(5);
	struct tokens prompt = {0};
	struct language_spread spread = spread_after(l, "We saw the", &prompt);
	struct token_sampler_rules how = {.temperature = 1, .top_p = 1, .repetition = 1};
	struct token_sampler s;
	double z = language_normaliser(l, &spread);
	enum { DRAWS = 20000 };
	int first = 0, second = 0;
	token_sampler_init(&s, l, &how, 99);
	for (int i = 0; i < DRAWS; i++) {
		uint32_t id = token_sampler_pick(&s, &spread);
		first += id == spread.items[0].id;
		second += id == spread.items[1].id;
	}
	/* Five standard deviations of a binomial of that size are below 0.018. */
	cr_assert_float_eq((double)first / DRAWS, exp((double)spread.items[0].logit - z), 0.018);
	cr_assert_float_eq((double)second / DRAWS, exp((double)spread.items[1].logit - z), 0.018);
	token_sampler_finish(&s);
	tokens_finish(&prompt);
	language_destroy(l);
}

Test(engine_model, top_k_and_top_p_keep_only_the_first_tokens)
{
	struct language *l = language_create(5);
	struct tokens prompt = {0};
	struct language_spread spread = spread_after(l, "We saw the", &prompt);
	struct token_sampler_rules top_k = {
	        .temperature = 2, .top_p = 1, .repetition = 1, .top_k = 3};
	struct token_sampler_rules top_p = {.temperature = 2, .top_p = 1e-6, .repetition = 1};
	struct token_sampler s;
	token_sampler_init(&s, l, &top_k, 1);
	for (int i = 0; i < 500; i++) {
		uint32_t id = token_sampler_pick(&s, &spread);
		cr_assert(id == spread.items[0].id || id == spread.items[1].id ||
		          id == spread.items[2].id);
	}
	token_sampler_finish(&s);
	token_sampler_init(&s, l, &top_p, 1);
	for (int i = 0; i < 100; i++) {
		cr_assert_eq(token_sampler_pick(&s, &spread), spread.items[0].id);
	}
	token_sampler_finish(&s);
	tokens_finish(&prompt);
	language_destroy(l);
}

/* Returns how many different tokens are drawn in many draws. */
static uint32_t support(struct language *l, const struct language_spread *spread,
        const struct token_sampler_rules *how)
{
	struct token_sampler s;
	bool seen[8192] = {false};
	uint32_t n = 0;
	token_sampler_init(&s, l, how, 1);
	for (int i = 0; i < 20000; i++) {
		uint32_t id = token_sampler_pick(&s, spread);
		n += !seen[id];
		seen[id] = true;
	}
	token_sampler_finish(&s);
	return n;
}

/* Returns how many of the first candidates are within this ratio of the first one. */
static uint32_t within(const struct language_spread *spread, double least, double temperature)
{
	uint32_t n = 0;
	double first = (double)spread->items[0].logit;
	while (n < spread->n &&
	        exp(((double)spread->items[n].logit - first) / temperature) >= least) {
		n++;
	}
	return n;
}

Test(engine_model, min_p_is_a_share_of_the_first_before_temperature_or_after_it)
{
	struct language *l = language_create(5);
	struct tokens prompt = {0};
	struct language_spread spread = spread_after(l, "We saw the", &prompt);
	struct token_sampler_rules how = {
	        .temperature = 2, .top_p = 1, .repetition = 1, .min_p = 0.05};
	uint32_t before = within(&spread, 0.05, 1), after = within(&spread, 0.05, 2);
	cr_assert_lt(before, after);
	cr_assert_eq(support(l, &spread, &how), after);
	how.cuts_first = true;
	cr_assert_eq(support(l, &spread, &how), before);
	tokens_finish(&prompt);
	language_destroy(l);
}

Test(engine_model, top_p_is_a_mass_before_temperature_or_after_it)
{
	struct language *l = language_create(5);
	struct tokens prompt = {0};
	struct language_spread spread = spread_after(l, "We saw the", &prompt);
	struct token_sampler_rules how = {.temperature = 0.5, .top_p = 0.9, .repetition = 1};
	double z = language_normaliser(l, &spread), mass = 0;
	uint32_t before = 0;
	for (; mass < 0.9; before++) {
		mass += exp((double)spread.items[before].logit - z);
	}
	cr_assert_lt(support(l, &spread, &how), before);
	how.cuts_first = true;
	cr_assert_eq(support(l, &spread, &how), before);
	tokens_finish(&prompt);
	language_destroy(l);
}

Test(engine_model, repetition_penalty_divides_the_logit_of_what_was_read)
{
	struct language *l = language_create(5);
	struct tokens prompt = {0};
	struct language_spread spread = spread_after(l, "We saw the", &prompt);
	struct token_sampler_rules how = {.temperature = 0, .top_p = 1, .repetition = 4};
	struct token_sampler s;
	token_sampler_init(&s, l, &how, 1);
	cr_assert_eq(token_sampler_pick(&s, &spread), spread.items[0].id);
	token_sampler_add(&s, spread.items[0].id);
	cr_assert_eq(token_sampler_pick(&s, &spread), spread.items[1].id,
	        "the first token was penalised");
	token_sampler_read(&s, spread.items[1].id);
	cr_assert_eq(token_sampler_pick(&s, &spread), spread.items[2].id,
	        "the second token was penalised");
	token_sampler_finish(&s);
	tokens_finish(&prompt);
	language_destroy(l);
}

Test(engine_model, a_token_with_bias_is_listed_once_after_it_was_chosen)
{
	struct language *l = language_create(5);
	struct tokens prompt = {0};
	struct language_spread spread = spread_after(l, "We saw the", &prompt);
	struct language_item bias = {vocabulary_size() - 1, 100}, top[2];
	while (language_candidate(&spread, bias.id) < spread.n) {
		bias.id--;
	}
	struct token_sampler_rules how = {
	        .temperature = 1, .top_p = 1, .repetition = 1, .bias = &bias, .n_bias = 1};
	struct token_sampler s;
	float logprob;
	token_sampler_init(&s, l, &how, 1);
	cr_assert_eq(token_sampler_pick(&s, &spread), bias.id);
	token_sampler_add(&s, bias.id);
	uint32_t n = token_sampler_processed(&s, &spread, bias.id, false, &logprob, top, 2);
	cr_assert_eq(n, 2);
	cr_assert_eq(top[0].id, bias.id);
	cr_assert_neq(top[1].id, bias.id);
	cr_assert_float_eq(logprob, 0, 1e-3);
	token_sampler_finish(&s);
	tokens_finish(&prompt);
	language_destroy(l);
}

Test(engine_model, processed_logprobs_sum_to_one_over_what_is_kept)
{
	struct language *l = language_create(5);
	struct tokens prompt = {0};
	struct language_spread spread = spread_after(l, "We saw the", &prompt);
	struct token_sampler_rules how = {.temperature = 0.7, .top_p = 0.9, .repetition = 1.2};
	struct token_sampler s;
	struct language_item top[LANGUAGE_CANDIDATES];
	float logprob;
	double sum = 0;
	token_sampler_init(&s, l, &how, 1);
	uint32_t n = token_sampler_processed(
	        &s, &spread, spread.items[0].id, false, &logprob, top, LANGUAGE_CANDIDATES);
	for (uint32_t i = 0; i < n; i++) {
		sum += exp((double)top[i].logit);
	}
	cr_assert_float_eq(sum, 1, 1e-5);
	cr_assert_lt(n, LANGUAGE_CANDIDATES);
	uint32_t all = token_sampler_processed(
	        &s, &spread, spread.items[0].id, true, &logprob, top, LANGUAGE_CANDIDATES);
	cr_assert_eq(all, LANGUAGE_CANDIDATES, "masked: what was cut away is listed too");
	cr_assert(isfinite(top[n - 1].logit) && isinf(top[n].logit));
	token_sampler_finish(&s);
	tokens_finish(&prompt);
	language_destroy(l);
}

Test(engine_model, noise_is_the_same_for_the_same_seed_and_prefix_and_has_the_set_size)
{
	struct language *l = language_create(5);
	struct tokens prompt = {0};
	struct language_state s;
	language_begin(l, &s);
	double sum = 0;
	int n = 0;
	for (int i = 0; i < 200; i++) {
		struct language_spread plain, once, twice;
		struct language_numerics numerics = {.noise = 0.02, .noise_seed = 4};
		language_spread(l, &s, &plain);
		once = twice = plain;
		language_disturb(&numerics, &s, &once);
		language_disturb(&numerics, &s, &twice);
		for (uint32_t k = 0; k < plain.n; k++) {
			double d = (double)once.items[k].logit - (double)plain.items[k].logit;
			cr_assert(once.items[k].logit == twice.items[k].logit);
			sum += d * d;
			n++;
		}
		language_push(l, &s, plain.items[0].id);
	}
	cr_assert_float_eq(sqrt(sum / n), 0.02, 0.001);
	tokens_finish(&prompt);
	language_destroy(l);
}
