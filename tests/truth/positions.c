/*
 * positions - do the analyzer's bounds contain the true divergence at every position of a capture
 * of simulated engines?
 *
 *	positions SEED TEST-NOISE TEST-STEP BASE-NOISE BASE-STEP DIR
 *
 * DIR is a capture of completions with text prompts; the primary is the test, the reference the
 * base. The program computes the true divergence from both engines' model, over the whole
 * vocabulary.
 *
 * Prints the number of positions; "alien" positions, where the logprobs in the capture are not
 * those of the model, so the true value is unknown; violations of the bounds of KL, TV and JS; the
 * mean width of the bounds of TV and JS; the mean of KL and of its lower bound. Exits with 1 if
 * there is any violation.
 */
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "analyzer/compare/tokens/listing.h"
#include "analyzer/compare/pair.h"
#include "analyzer/compare/tokens/position.h"
#include "backends/engine/language.h"
#include "base/mem.h"
#include "capture/capture.h"

#define ROUNDING 1e-6 /* logprobs are float32 */
#define LEGS_MOST 8   /* of an exchange */

/* One side's distribution, over the whole vocabulary. */
struct side {
	struct language_numerics numerics;
	double *lps; /* by id */
};

struct counts {
	unsigned long positions, alien, kl, tv, js;
	double tv_width, js_width, kl_sum, kl_low_sum;
};

struct work {
	struct language *language;
	struct side base, test;
	struct counts counts;
};

static void fill(const struct work *w, const struct language_state *s, struct side *to)
{
	struct language_spread spread;
	language_spread(w->language, s, &spread);
	language_disturb(&to->numerics, s, &spread);
	double normaliser = language_normaliser(w->language, &spread);
	for (uint32_t id = 0; id < vocabulary_size(); id++) {
		to->lps[id] = (double)language_tail_logit(w->language, &spread, id) - normaliser;
	}
	for (uint32_t i = 0; i < spread.n; i++) {
		to->lps[spread.items[i].id] = (double)spread.items[i].logit - normaliser;
	}
}

/* Whether the model has a token with these bytes and this logprob. Tokens may share their bytes. */
static bool is_told(
        const struct work *w, const struct side *s, struct span bytes, double lp, uint32_t *ret_id)
{
	for (uint32_t id = 0; id < vocabulary_size(); id++) {
		struct span own = vocabulary_bytes(id);
		if (fabs(s->lps[id] - lp) < 1e-5 && span_equal(own, bytes)) {
			*ret_id = id;
			return true;
		}
	}
	return false;
}

static void judge(struct counts *to, const struct work *w, const struct bounds *b)
{
	double kl = 0, tv = 0, js = 0;
	for (uint32_t id = 0; id < vocabulary_size(); id++) {
		double p = exp(w->test.lps[id]), r = exp(w->base.lps[id]), m = log((p + r) / 2);
		kl += p * (w->test.lps[id] - w->base.lps[id]);
		tv += fabs(p - r) / 2;
		js += (p * (w->test.lps[id] - m) + r * (w->base.lps[id] - m)) / 2;
	}
	to->positions++;
	to->kl += b->kl_low > kl + ROUNDING;
	to->tv += b->tv_low > tv + ROUNDING || tv > b->tv_high + ROUNDING;
	to->js += b->js_low > js + ROUNDING || js > b->js_high + ROUNDING;
	to->tv_width += b->tv_high - b->tv_low;
	to->js_width += b->js_high - b->js_low;
	to->kl_sum += kl;
	to->kl_low_sum += b->kl_low;
}

static void walk(struct work *w, struct language_state *s, const struct choice *base,
        const struct choice *test)
{
	struct listing_walk walk;
	listing_walk_begin(&walk, &base->columns, &test->columns);
	while (listing_walk_next(&walk)) {
		uint32_t i = walk.at.a, j = walk.at.b, chosen, unused;
		struct position both;
		struct bounds bounds;
		fill(w, s, &w->base);
		fill(w, s, &w->test);
		if (!is_told(w, &w->base, columns_token(&base->columns, i),
		            (double)base->columns.lp[i], &chosen) ||
		        !is_told(w, &w->test, columns_token(&test->columns, j),
		                (double)test->columns.lp[j], &unused)) {
			w->counts.alien++;
			break;
		}
		position_read(&walk.base, &walk.test, &both);
		position_bounds(&both, 0, &bounds);
		judge(&w->counts, w, &bounds);
		language_push(w->language, s, chosen);
	}
}

/* The model's state after the request's prompt. */
static bool read_prompt(const struct work *w, struct capture *c, const struct capture_exchange *e,
        struct language_state *ret)
{
	struct buf body = {0};
	struct tokens tokens = {0};
	bool good = capture_request_body(c, e, &body) == 0;
	json_t *request = good ? json_loadb(body.data, body.len, 0, NULL) : NULL;
	const char *prompt = json_string_value(json_object_get(request, "prompt"));
	language_begin(w->language, ret);
	language_push(w->language, ret, TOKEN_BOS);
	if (prompt) {
		vocabulary_encode(span_of(prompt), &tokens);
	}
	for (size_t i = 0; i < tokens.n; i++) {
		language_push(w->language, ret, tokens.items[i]);
	}
	json_decref(request);
	tokens_finish(&tokens);
	buf_finish(&body);
	return prompt != NULL;
}

static void exchange(struct work *w, struct capture *c, const struct capture_exchange *e)
{
	struct pair pairs[LEGS_MOST];
	struct pair_names wish = {.base = {.name = NULL}};
	struct reading *base = NULL, *test = NULL;
	struct language_state s;
	if (e->n_legs > LEGS_MOST || pair_find(e, &wish, pairs) != 1 || !read_prompt(w, c, e, &s)) {
		return;
	}
	if (capture_reading(c, e, pairs[0].base, &base) == 0 &&
	        capture_reading(c, e, pairs[0].test, &test) == 0 && base->n_choices == 1 &&
	        test->n_choices == 1) {
		walk(w, &s, &base->choices[0], &test->choices[0]);
	}
	reading_destroy(base);
	reading_destroy(test);
}

static int show(const struct counts *c)
{
	double n = (double)c->positions;
	printf("%lu positions, %lu alien; violations: KL %lu, TV %lu, JS %lu; mean width: TV %.4f, "
	       "JS %.4f; mean KL %.5f, of which the bound tells %.5f\n",
	        c->positions, c->alien, c->kl, c->tv, c->js, c->tv_width / n, c->js_width / n,
	        c->kl_sum / n, c->kl_low_sum / n);
	return c->kl + c->tv + c->js > 0;
}

/* words: noise and step. */
static void side_init(struct side *s, char **words, uint64_t seed, size_t vocabulary)
{
	s->numerics = (struct language_numerics){
	        .noise = strtod(words[0], NULL),
	        .step = strtod(words[1], NULL),
	        .noise_seed = seed,
	};
	s->lps = xcalloc(vocabulary, sizeof(*s->lps));
}

int main(int argc, char **argv)
{
	if (argc != 7) {
		fprintf(stderr,
		        "usage: positions SEED TEST-NOISE TEST-STEP BASE-NOISE BASE-STEP DIR\n");
		return 2;
	}
	char *error = NULL;
	uint64_t seed = strtoull(argv[1], NULL, 10);
	struct work w = {.language = language_create(seed)};
	size_t size = vocabulary_size();
	side_init(&w.test, argv + 2, seed, size);
	side_init(&w.base, argv + 4, seed, size);
	const char *dir = argv[6];
	struct capture *c = capture_open(&dir, 1, &error);
	if (!c) {
		fprintf(stderr, "positions: %s\n", error);
		free(error);
		return 3;
	}
	struct capture_exchange e;
	while (capture_next(c, &e) == 1) {
		exchange(&w, c, &e);
		capture_exchange_finish(&e);
	}
	capture_close(c);
	language_destroy(w.language);
	free(w.test.lps);
	free(w.base.lps);
	return show(&w.counts);
}
