#include "backends/engine/recorded_answers.h"

#include <errno.h>
#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "backends/engine/prompt_sketch.h"
#include "base/mem.h"
#include "capture/capture_meta.h"

/* The request's parameters, as far as a record contains them. */
struct parameters {
	uint32_t model; /* index of its name */
	bool stream, has_logprobs, include_usage, has_seed;
	int64_t top_logprobs, n, max_tokens, seed;
	double temperature, top_p;
};

struct take {
	uint8_t hash[REQUEST_HASH_SIZE];
	enum endpoint endpoint;
	struct parameters parameters;
	struct id exchange, leg;
	uint64_t start_ns;
};

/* Adjacent takes in the sorted list. */
struct question {
	uint32_t first, n;
	atomic_uint next;
};

struct recorded_answers {
	struct recorded_answers_options options;
	uint8_t key[32];
	struct capture *capture;
	struct kinds *kinds;
	struct recorded_answers_summary summary;
	struct take *takes; /* summary.n_takes, sorted by question */
	size_t cap_takes;
	struct question *questions;     /* summary.n_questions */
	struct prompt_sketch *sketches; /* one per question, if the nearest may be used */
};

/* The model of a request that names none. It can neither be listed nor requested. */
#define NAMELESS (UINT32_MAX - 1)

static uint32_t model_number(struct recorded_answers *t, const char *name)
{
	if (!name[0]) {
		return NAMELESS;
	}
	for (size_t i = 0; i < t->summary.n_models; i++) {
		if (strcmp(t->summary.models[i], name) == 0) {
			return (uint32_t)i;
		}
	}
	return UINT32_MAX;
}

static uint32_t add_model(struct recorded_answers *t, const char *name)
{
	uint32_t i = model_number(t, name);
	if (i == UINT32_MAX) {
		i = (uint32_t)t->summary.n_models;
		t->summary.models = xrealloc(
		        t->summary.models, (t->summary.n_models + 1) * sizeof(*t->summary.models));
		t->summary.models[t->summary.n_models++] = xstrdup(name);
	}
	return i;
}

static struct parameters parameters_of(const struct request_facts *f, bool stream, uint32_t model)
{
	return (struct parameters){
	        .model = model,
	        .stream = stream,
	        .has_logprobs = f->has_logprobs,
	        .include_usage = f->include_usage,
	        .has_seed = f->has_seed,
	        .top_logprobs = f->has_logprobs ? f->top_logprobs : -1,
	        .n = f->n,
	        .max_tokens = f->max_tokens,
	        .seed = f->has_seed ? f->seed : 0,
	        .temperature = f->temperature,
	        .top_p = f->top_p,
	};
}

static int compare_integers(int64_t a, int64_t b)
{
	return (a > b) - (a < b);
}

static int compare_numbers(double a, double b)
{
	if (isnan(a) || isnan(b)) {
		return isnan(a) - isnan(b);
	}
	return (a > b) - (a < b);
}

static int compare_parameters(const struct parameters *a, const struct parameters *b)
{
	const int each[] = {
	        compare_integers(a->stream, b->stream),
	        compare_integers(a->model, b->model),
	        compare_integers(a->n, b->n),
	        compare_integers(a->has_logprobs, b->has_logprobs),
	        compare_integers(a->top_logprobs, b->top_logprobs),
	        compare_integers(a->include_usage, b->include_usage),
	        compare_numbers(a->temperature, b->temperature),
	        compare_numbers(a->top_p, b->top_p),
	        compare_integers(a->max_tokens, b->max_tokens),
	        compare_integers(a->has_seed, b->has_seed),
	        compare_integers(a->seed, b->seed),
	};
	for (size_t i = 0; i < ARRAY_LEN(each); i++) {
		if (each[i]) {
			return each[i];
		}
	}
	return 0;
}

static int compare_prompts(const struct take *a, const struct take *b)
{
	int r = compare_integers(a->endpoint, b->endpoint);
	return r ? r : memcmp(a->hash, b->hash, sizeof(a->hash));
}

static int compare_questions(const struct take *a, const struct take *b)
{
	int r = compare_prompts(a, b);
	return r ? r : compare_parameters(&a->parameters, &b->parameters);
}

static int compare_takes(const void *first, const void *second)
{
	const struct take *a = first, *b = second;
	int r = compare_questions(a, b);
	r = r ? r : (a->start_ns > b->start_ns) - (a->start_ns < b->start_ns);
	r = r ? r : id_compare(a->exchange, b->exchange);
	return r ? r : id_compare(a->leg, b->leg);
}

/* Rates the similarity of two requests' parameters. Parameters that affect an answer's form weigh
 * more than those that affect its text. */
static unsigned rate_similarity(const struct parameters *a, const struct parameters *b)
{
	return (a->model == b->model ? 64u : 0) + (a->n == b->n ? 32u : 0) +
	       (a->has_logprobs == b->has_logprobs ? 16u : 0) +
	       (a->include_usage == b->include_usage ? 8u : 0) +
	       (compare_numbers(a->temperature, b->temperature) == 0 ? 4u : 0) +
	       (a->max_tokens == b->max_tokens ? 2u : 0) +
	       (a->has_seed == b->has_seed && a->seed == b->seed ? 1u : 0);
}

/* Learns from an answer without injection which members the engine sends unasked. */
static void learn_form(struct recorded_answers *t, const struct capture_exchange *e, size_t leg)
{
	const struct leg_row *row = &e->legs[leg].row;
	struct kind_key key = recorded_answer_kind(e, leg);
	bool refused;
	struct kind known = kinds_get(t->kinds, &key, RECORDED_ANSWER_NOW, &refused);
	bool plain = !(row->marks & (LEG_INJECTED_LOGPROBS | LEG_INJECTED_USAGE)) &&
	             row->status < 300 && row->outcome == OUTCOME_COMPLETE &&
	             !row->content_encoding;
	bool wanting =
	        known.logprobs == KIND_UNKNOWN || (e->row.streamed && known.usage == KIND_UNKNOWN);
	struct buf body = {0};
	if (plain && wanting && capture_response_body(t->capture, e, leg, &body) == 0) {
		struct kind kind =
		        kind_of_answer(buf_span(&body), e->row.streamed, &e->row.facts, NULL);
		struct signature s;
		if (signature_of_answer(0, buf_span(&body), e->row.streamed, &s)) {
			kinds_learn(t->kinds, &key, s.form, kind, RECORDED_ANSWER_NOW);
		}
	}
	buf_finish(&body);
}

static void add_take(struct recorded_answers *t, const struct capture_exchange *e, size_t leg)
{
	const char *unfit = recorded_answer_unfit(e, leg);
	static const uint8_t NONE[REQUEST_HASH_SIZE];
	if (!unfit && memcmp(e->row.hashes.prompt, NONE, sizeof(NONE)) == 0) {
		unfit = "the request has no prompt";
	}
	if (unfit) {
		error_tally_add(&t->summary.left_out, unfit);
		return;
	}
	if (t->summary.n_takes == t->cap_takes) {
		t->cap_takes = MAX(t->cap_takes * 2, (size_t)64);
		t->takes = xrealloc(t->takes, t->cap_takes * sizeof(*t->takes));
	}
	struct take *take = &t->takes[t->summary.n_takes++];
	*take = (struct take){
	        .endpoint = e->row.endpoint,
	        .parameters = parameters_of(&e->row.facts, e->row.streamed,
	                add_model(t, e->row.model ? e->row.model : "")),
	        .exchange = e->row.id,
	        .leg = e->legs[leg].row.id,
	        .start_ns = e->legs[leg].row.start_ns,
	};
	memcpy(take->hash, e->row.hashes.prompt, sizeof(take->hash));
	learn_form(t, e, leg);
}

static bool has_primary(const struct capture_exchange *e)
{
	for (size_t i = 0; i < e->n_legs; i++) {
		if (e->legs[i].row.role == ROLE_PRIMARY) {
			return true;
		}
	}
	return false;
}

static void scan(struct recorded_answers *t)
{
	struct capture_exchange e;
	while (capture_next(t->capture, &e) == 1) {
		bool primary = has_primary(&e);
		for (size_t i = 0; i < e.n_legs && !e.absent; i++) {
			const struct leg_row *row = &e.legs[i].row;
			bool wanted = t->options.backend
			                      ? strcmp(t->options.backend,
			                                row->backend ? row->backend : "") == 0
			                      : !primary || row->role == ROLE_PRIMARY;
			if (wanted) {
				add_take(t, &e, i);
			}
		}
		capture_exchange_finish(&e);
	}
}

static void sort(struct recorded_answers *t)
{
	if (t->summary.n_takes) {
		qsort(t->takes, t->summary.n_takes, sizeof(*t->takes), compare_takes);
	}
	t->questions = xcalloc(t->summary.n_takes + 1, sizeof(*t->questions));
	for (size_t i = 0; i < t->summary.n_takes; i++) {
		bool same = i > 0 && compare_questions(&t->takes[i - 1], &t->takes[i]) == 0;
		if (!same) {
			t->questions[t->summary.n_questions++].first = (uint32_t)i;
		}
		t->questions[t->summary.n_questions - 1].n++;
	}
}

static const struct take *first_take(const struct recorded_answers *t, size_t question)
{
	return &t->takes[t->questions[question].first];
}

static void sketch_all(struct recorded_answers *t)
{
	t->sketches = xcalloc(t->summary.n_questions + 1, sizeof(*t->sketches));
	for (size_t i = 0; i < t->summary.n_questions; i++) {
		struct capture_exchange e;
		struct buf body = {0};
		if (capture_find(t->capture, first_take(t, i)->exchange, &e) == 0) {
			bool found_body = capture_request_body(t->capture, &e, &body) == 0;
			prompt_sketch_make(
			        found_body ? buf_span(&body) : SPAN(""), &t->sketches[i]);
			capture_exchange_finish(&e);
		}
		buf_finish(&body);
	}
}

struct recorded_answers *recorded_answers_open(
        const struct recorded_answers_options *o, char **ret_error)
{
	struct capture *capture = capture_open(&o->dir, 1, ret_error);
	if (!capture) {
		return NULL;
	}
	struct recorded_answers *t = xcalloc(1, sizeof(*t));
	t->options = *o;
	t->capture = capture;
	t->kinds = kinds_create();
	if (!capture_hash_key(o->dir, t->key)) {
		*ret_error = xasprintf("%s lacks the key that its prompt hashes need", o->dir);
		recorded_answers_close(t);
		return NULL;
	}
	scan(t);
	const char *const *problems;
	for (size_t i = capture_problems(capture, &problems); i > 0; i--) {
		error_tally_add(&t->summary.left_out, problems[i - 1]);
	}
	sort(t);
	if (o->nearest) {
		sketch_all(t);
	}
	return t;
}

void recorded_answers_close(struct recorded_answers *t)
{
	if (!t) {
		return;
	}
	for (size_t i = 0; i < t->summary.n_models; i++) {
		free(t->summary.models[i]);
	}
	free(t->summary.models);
	free(t->takes);
	free(t->questions);
	free(t->sketches);
	error_tally_finish(&t->summary.left_out);
	kinds_destroy(t->kinds);
	capture_close(t->capture);
	free(t);
}

const struct recorded_answers_summary *recorded_answers_summary(const struct recorded_answers *t)
{
	return &t->summary;
}

struct capture *recorded_answers_reader(const struct recorded_answers *t)
{
	return capture_open_again(t->capture);
}

/* Returns the first question with this prompt, or with the next one in order. */
static size_t find_prompt(const struct recorded_answers *t, const struct take *wanted)
{
	size_t low = 0, high = t->summary.n_questions;
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (compare_prompts(first_take(t, middle), wanted) < 0) {
			low = middle + 1;
		} else {
			high = middle;
		}
	}
	return low;
}

/* How a question with the same prompt matches what is wanted, apart from parameters. */
static enum recorded_answers_match match_of(
        const struct recorded_answers *t, const struct take *head, const struct take *wanted)
{
	if (head->parameters.stream != wanted->parameters.stream) {
		return RECORDED_ANSWERS_OTHER_FORM;
	}
	if (t->options.strict_model && head->parameters.model != wanted->parameters.model) {
		return RECORDED_ANSWERS_OTHER_MODEL;
	}
	return RECORDED_ANSWERS_PROMPT;
}

/* Of the questions with this prompt, chooses the one with the most similar parameters. */
static enum recorded_answers_match choose(
        const struct recorded_answers *t, size_t first, const struct take *wanted, size_t *ret)
{
	enum recorded_answers_match match = RECORDED_ANSWERS_UNKNOWN;
	unsigned best = 0;
	for (size_t i = first; i < t->summary.n_questions; i++) {
		const struct take *head = first_take(t, i);
		if (compare_prompts(head, wanted) != 0) {
			break;
		}
		enum recorded_answers_match this = match_of(t, head, wanted);
		unsigned close = rate_similarity(&head->parameters, &wanted->parameters) + 1;
		if (this == RECORDED_ANSWERS_PROMPT && close > best) {
			best = close;
			*ret = i;
			match = this;
			if (compare_parameters(&head->parameters, &wanted->parameters) == 0) {
				return RECORDED_ANSWERS_EXACT;
			}
		} else if (match >= RECORDED_ANSWERS_UNKNOWN) {
			match = MAX(match, this);
		}
	}
	return match;
}

static bool find_nearest(const struct recorded_answers *t, struct span body,
        const struct take *wanted, size_t *ret, double *ret_similarity)
{
	struct prompt_sketch sketch;
	double best = -1, bonus = 0;
	prompt_sketch_make(body, &sketch);
	for (size_t i = 0; i < t->summary.n_questions; i++) {
		const struct take *head = first_take(t, i);
		if (head->endpoint != wanted->endpoint ||
		        head->parameters.stream != wanted->parameters.stream ||
		        (t->options.strict_model &&
		                head->parameters.model != wanted->parameters.model)) {
			continue;
		}
		double similarity = prompt_sketch_similarity(&sketch, &t->sketches[i]);
		double close = rate_similarity(&head->parameters, &wanted->parameters);
		if (similarity > best || (similarity == best && close > bonus)) {
			best = similarity;
			bonus = close;
			*ret = i;
		}
	}
	*ret_similarity = best;
	return best >= 0;
}

void recorded_answers_find(struct recorded_answers *t, enum endpoint endpoint, struct span body,
        const struct request_facts *facts, struct recorded_answers_found *ret)
{
	struct request_hashes hashes;
	struct take wanted = {.endpoint = endpoint};
	size_t question = 0;
	*ret = (struct recorded_answers_found){.match = RECORDED_ANSWERS_NO_PROMPT};
	if (!request_hash(endpoint, body, t->key, &hashes)) {
		return;
	}
	memcpy(wanted.hash, hashes.prompt, sizeof(wanted.hash));
	wanted.parameters = parameters_of(facts, facts->stream, model_number(t, facts->model));
	ret->match = choose(t, find_prompt(t, &wanted), &wanted, &question);
	if (ret->match == RECORDED_ANSWERS_UNKNOWN && t->options.nearest &&
	        find_nearest(t, body, &wanted, &question, &ret->similarity)) {
		ret->match = RECORDED_ANSWERS_NEAREST;
	}
	if (ret->match < RECORDED_ANSWERS_UNKNOWN) {
		struct question *q = &t->questions[question];
		uint32_t next = atomic_fetch_add(&q->next, 1) % q->n;
		const struct take *take = &t->takes[q->first + next];
		ret->exchange = take->exchange;
		ret->leg = take->leg;
		ret->take = next + 1;
		ret->takes = q->n;
	}
}

int recorded_answers_load(struct recorded_answers *t, struct capture *c,
        const struct recorded_answers_found *found, const struct request_facts *requested,
        struct recorded_answer *ret)
{
	struct capture_exchange e;
	int r = capture_find(c, found->exchange, &e);
	if (r < 0) {
		return r;
	}
	r = -ENOENT;
	for (size_t i = 0; i < e.n_legs; i++) {
		if (id_compare(e.legs[i].row.id, found->leg) == 0) {
			r = recorded_answer_load(c, &e, i, requested, t->kinds, ret);
			break;
		}
	}
	capture_exchange_finish(&e);
	return r;
}
