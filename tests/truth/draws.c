/*
 * draws - what does the analyzer find in the lists of a simulated engine that samples? It works in
 * process, without HTTP and without a capture, so large samples are cheap.
 *
 *	draws SEED FAULTS ANSWERS... <REQUESTS.jsonl
 *
 * FAULTS is an argument of `plumbline engine --fault`. ANSWERS are ascending numbers of answers.
 * For each of them the program prints one line: the member `sampling` of the analyzer's document
 * for the first ANSWERS requests. Faults outside of the model (several servers, an answer cache) do
 * nothing.
 */
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/fold/draws.h"
#include "analyzer/report/document/document_parts.h"
#include "analyzer/rows/draws_request.h"
#include "analyzer/rows/examine_draws.h"
#include "backends/engine/engine.h"
#include "backends/engine/generation.h"
#include "base/mem.h"

#define TOP 20 /* alternatives, as with `plumbline replay --top 20` */

struct work {
	struct language *language;
	struct engine_options engine;
	struct rng random;
	struct draws_row *rows;
	size_t n, cap;
};

static void fail(const char *what)
{
	fprintf(stderr, "draws: %s\n", what);
	exit(2);
}

/* The tokens of an answer and their lists, as a reader would get them from the answer's JSON. */
static struct choice choice_of(const struct work *w, const struct generation *g)
{
	struct choice c = {.has_columns = true};
	struct columns_builder *b = columns_builder_create();
	for (uint32_t i = 0; i < g->n_rows; i++) {
		const struct generation_row *row = &g->rows[i];
		const struct language_item *tops = g->tops + row->top;
		bool first = row->n_top > 0 && tops[0].id == row->id;
		columns_builder_token(
		        b, vocabulary_bytes(row->id), -1, row->logprob, first ? 0 : TOKEN_NOT_TOP);
		for (uint32_t k = 0; k < row->n_top; k++) {
			columns_builder_top(b, vocabulary_bytes(tops[k].id), -1, tops[k].logit);
		}
	}
	columns_builder_end(b, &c.columns);
	return c;
}

static struct draws_requested asked_of(const struct token_sampler_rules *how)
{
	return (struct draws_requested){
	        .temperature = how->temperature,
	        .top_k = (double)MAX(how->top_k, 0),
	        .top_p = how->top_p,
	        .min_p = how->min_p,
	};
}

static void examine(const struct work *w, struct span body, const struct draws_requested *asked,
        const struct generation *g, struct draws_row *ret)
{
	struct choice c = choice_of(w, g);
	struct request_words words = {0};
	const struct draws_input in = {&c, &words, *asked};
	double chance;
	*ret = (struct draws_row){
	        .backend = "prod",
	        .lists = LOGPROBS_UNKNOWN,
	        .temperature = asked->temperature,
	        .excluded = draws_request_read(body),
	};
	request_words_read(&words, body);
	if (ret->excluded == DRAWS_COUNTS) {
		ret->excluded = examine_draws(&in, ret, &chance);
	}
	request_words_finish(&words);
	columns_finish(&c.columns);
}

static void answer(struct work *w, struct span body)
{
	struct engine_request request;
	struct engine_problem problem;
	struct generation g;
	struct generation_options how = {
	        .seed = rng_next(&w->random), .noise_seed = w->engine.seed};
	if (!engine_request_parse(&request, ENDPOINT_CHAT, body, &w->engine, &problem)) {
		fail(problem.message);
	}
	struct draws_requested asked = asked_of(&request.sampling);
	request.logprobs = true;
	request.top = TOP;
	fault_apply_to_request(&w->engine.faults, &request);
	generation_init(&g, w->language, &request, 0, &w->engine.faults, &how);
	while (g.finish == GENERATION_RUNNING) {
		generation_step(&g);
	}
	if (w->n == w->cap) {
		w->cap = w->cap ? 2 * w->cap : 64;
		w->rows = xrealloc(w->rows, w->cap * sizeof(*w->rows));
	}
	examine(w, body, &asked, &g, &w->rows[w->n++]);
	generation_finish(&g);
	engine_request_finish(&request);
}

static void show(const struct work *w)
{
	struct draws d = {0};
	for (size_t i = 0; i < w->n; i++) {
		draws_add(&d, &w->rows[i]);
	}
	draws_settle(&d);
	json_t *list = document_draws(&d);
	json_dumpf(list, stdout, JSON_COMPACT);
	putchar('\n');
	json_decref(list);
	draws_finish(&d);
}

int main(int argc, char **argv)
{
	struct work w = {0};
	char *line = NULL, *problem;
	size_t room = 0;
	if (argc < 4) {
		fail("usage: draws SEED FAULTS ANSWERS...");
	}
	engine_options_init(&w.engine);
	w.engine.seed = strtoull(argv[1], NULL, 10);
	if (!fault_parse(span_of(argv[2]), &w.engine.faults, &problem)) {
		fail(problem);
	}
	w.language = language_create(w.engine.seed);
	w.random = rng_of(w.engine.seed, 1);
	for (int i = 3; i < argc; i++) {
		size_t wanted = strtoull(argv[i], NULL, 10);
		while (w.n < wanted) {
			ssize_t len = getline(&line, &room, stdin);
			if (len <= 0) {
				fail("there are fewer requests than answers");
			}
			answer(&w, (struct span){line, (size_t)len});
		}
		show(&w);
	}
	language_destroy(w.language);
	free(w.rows);
	free(line);
	return 0;
}
