#include "backends/engine/endpoints.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "backends/engine/answer_json.h"
#include "backends/engine/canned.h"
#include "backends/engine/delivery.h"
#include "backends/engine/engine_request.h"
#include "backends/engine/generated_answer.h"
#include "backends/engine/playback.h"
#include "backends/engine/ranking.h"
#include "backends/engine/recorded_answers.h"
#include "base/json.h"
#include "base/json_writer.h"
#include "base/mem.h"

/* The ground truth of the simulated model: the tokens of a text, and the exact distribution at each
 * position. docs/engine.md describes the requests. */

/* Each appends the answer's JSON to *to. False: *ret_problem says why not. */
typedef bool (*truth_fn)(const struct worker *w, const struct http_request *r, struct buf *to,
        struct engine_problem *ret_problem);

#define POSITIONS_MAX 4096

/* Reads the prompt as the engine would without faults. */
static bool read_prompt(const struct worker *w, struct span body, struct engine_request *request,
        struct engine_problem *ret_problem)
{
	struct json_token t;
	bool is_chat = json_find_member(body, "messages", &t, NULL);
	return engine_request_parse(request, is_chat ? ENDPOINT_CHAT : ENDPOINT_COMPLETION, body,
	        w->options, ret_problem);
}

/* The ids of a prompt: {"count", "tokens"}, as in vLLM. A text begins with BOS unless
 * add_special_tokens is false. */
static bool ground_truth_tokenize(const struct worker *w, const struct http_request *r,
        struct buf *to, struct engine_problem *ret_problem)
{
	struct engine_request request;
	struct json_token t;
	struct json_writer out = {.to = to};
	bool good = read_prompt(w, r->body, &request, ret_problem);
	bool bare = good && json_find_member(r->body, "add_special_tokens", &t, NULL) &&
	            t.type == JSON_TOKEN_FALSE;
	if (good) {
		const struct tokens *prompt = &request.prompts[0];
		size_t from = bare && request.endpoint == ENDPOINT_COMPLETION && prompt->n > 0 &&
		              prompt->items[0] == TOKEN_BOS;
		json_writer_open(&out, NULL, '{');
		json_writer_integer(&out, "count", (int64_t)(prompt->n - from));
		json_writer_open(&out, "tokens", '[');
		for (size_t i = from; i < prompt->n; i++) {
			json_writer_integer(&out, NULL, prompt->items[i]);
		}
		json_writer_close(&out, "]}");
	}
	engine_request_finish(&request);
	return good;
}

struct question {
	struct tokens continuation;
	struct tokens wanted; /* ids to be listed beside the first ones */
	int64_t top;          /* SIZE: the whole vocabulary */
	bool disturbed;       /* with the noise and quantisation that requests get */
};

static bool read_ids(struct span span, struct tokens *to, struct engine_problem *ret_problem)
{
	struct json j;
	struct json_token t = json_begin(&j, span);
	int64_t id;
	while (t.type == JSON_TOKEN_ARRAY && (t = json_next(&j)).type == JSON_TOKEN_NUMBER) {
		if (!json_token_integer(&t, &id) || id < 0 || id >= vocabulary_size()) {
			return engine_problem_set(
			        ret_problem, "tokens", "A token id is out of range.");
		}
		tokens_push(to, (uint32_t)id);
		t.type = JSON_TOKEN_ARRAY;
	}
	return t.type == JSON_TOKEN_ARRAY_END ||
	       engine_problem_set(ret_problem, "tokens", "Token ids must be an array of integers.");
}

static bool read_question(struct span body, struct question *q, struct engine_problem *ret_problem)
{
	struct json_token t;
	struct span span;
	q->top = 20;
	if (json_find_member(body, "tokens", &t, &span) &&
	        !read_ids(span, &q->continuation, ret_problem)) {
		return false;
	}
	if (json_find_member(body, "text", &t, &span) && t.type == JSON_TOKEN_STRING) {
		vocabulary_encode_string(&t, &q->continuation);
	}
	if (json_find_member(body, "ids", &t, &span) && !read_ids(span, &q->wanted, ret_problem)) {
		return false;
	}
	if (json_find_member(body, "top", &t, &span) &&
	        (t.type != JSON_TOKEN_NUMBER || !json_token_integer(&t, &q->top) || q->top < 0)) {
		return engine_problem_set(ret_problem, "top", "top must be an integer from 0.");
	}
	q->disturbed = !json_find_member(body, "exact", &t, &span) || t.type != JSON_TOKEN_TRUE;
	if (q->continuation.n > POSITIONS_MAX) {
		return engine_problem_set(
		        ret_problem, "tokens", "At most %d positions are allowed.", POSITIONS_MAX);
	}
	return true;
}

static void put_token(struct json_writer *out, const char *key, const struct worker *w,
        const struct language_spread *spread, double z, uint32_t id)
{
	double logit = (double)language_logit(w->language, spread, id);
	answer_json_token(out, key, id, (double)(float)(logit - z), true);
}

static void put_position(struct json_writer *out, const struct worker *w, const struct question *q,
        struct language_spread *spread, const uint32_t *chosen)
{
	struct language_item item;
	struct ranking r;
	double z = language_normaliser(w->language, spread);
	ranking_of_spread(&r, w->language, spread);
	json_writer_open(out, NULL, '{');
	if (chosen) {
		put_token(out, "chosen", w, spread, z, *chosen);
	}
	json_writer_open(out, "top", '[');
	for (int64_t i = 0; i < q->top && ranking_next(&r, &item); i++) {
		put_token(out, NULL, w, spread, z, item.id);
	}
	json_writer_close(out, "]");
	json_writer_open(out, "ids", '[');
	for (size_t i = 0; i < q->wanted.n; i++) {
		put_token(out, NULL, w, spread, z, q->wanted.items[i]);
	}
	json_writer_close(out, "]}");
}

static void put_distribution(const struct worker *w, const struct http_request *r,
        const struct tokens *prompt, const struct question *q, struct buf *to)
{
	struct json_writer out = {.to = to};
	struct language_state state;
	struct language_numerics numerics = fault_numerics(&r->faults, w->options->seed);
	language_begin(w->language, &state);
	for (size_t i = 0; i < prompt->n; i++) {
		language_push(w->language, &state, prompt->items[i]);
	}
	json_writer_open(&out, NULL, '{');
	json_writer_text(&out, "object", "simulated.distribution");
	json_writer_integer(&out, "vocabulary", vocabulary_size());
	json_writer_integer(&out, "prompt_tokens", (int64_t)prompt->n);
	json_writer_open(&out, "positions", '[');
	for (size_t i = 0; i <= q->continuation.n; i++) {
		struct language_spread spread;
		const uint32_t *chosen = i < q->continuation.n ? &q->continuation.items[i] : NULL;
		language_spread(w->language, &state, &spread);
		if (q->disturbed) {
			language_disturb(&numerics, &state, &spread);
		}
		put_position(&out, w, q, &spread, chosen);
		if (chosen) {
			language_push(w->language, &state, *chosen);
		}
	}
	json_writer_close(&out, "]}");
}

/* The exact distribution at each position of a continuation. */
static bool ground_truth_distribution(const struct worker *w, const struct http_request *r,
        struct buf *to, struct engine_problem *ret_problem)
{
	struct engine_request request;
	struct question q = {0};
	bool good = read_prompt(w, r->body, &request, ret_problem) &&
	            read_question(r->body, &q, ret_problem);
	if (good) {
		fault_apply_to_request(&r->faults, &request);
		put_distribution(w, r, &request.prompts[0], &q, to);
	}
	tokens_finish(&q.continuation);
	tokens_finish(&q.wanted);
	engine_request_finish(&request);
	return good;
}

static void generate(struct engine_client *c, const struct http_request *r, enum endpoint endpoint)
{
	if (!c->worker->canned || !canned_serve(c->worker->canned, c, r, endpoint)) {
		generated_answer_begin(c, r, endpoint);
	}
}

static void chat(struct engine_client *c, const struct http_request *r)
{
	generate(c, r, ENDPOINT_CHAT);
}

static void completions(struct engine_client *c, const struct http_request *r)
{
	generate(c, r, ENDPOINT_COMPLETION);
}

static void put_model(struct json_writer *w, const char *name, bool recorded)
{
	json_writer_open(w, NULL, '{');
	json_writer_text(w, "id", name);
	json_writer_text(w, "object", "model");
	json_writer_integer(w, "created", 1700000000);
	if (recorded) {
		json_writer_text(w, "owned_by", "plumbline-engine (recorded)");
	} else {
		json_writer_text(w, "owned_by", "plumbline-engine (simulated)");
		json_writer_integer(w, "max_model_len", ENGINE_TOKENS_MAX);
	}
	json_writer_close(w, "}");
}

static void models(struct engine_client *c, const struct http_request *r)
{
	const struct engine_options *o = c->worker->options;
	struct buf body = {0};
	struct json_writer w = {.to = &body, .style = o->json};
	const struct recorded_answers_summary *tape =
	        o->tape ? recorded_answers_summary(o->tape) : NULL;
	json_writer_open(&w, NULL, '{');
	json_writer_text(&w, "object", "list");
	json_writer_open(&w, "data", '[');
	for (size_t i = 0; tape && i < tape->n_models; i++) {
		put_model(&w, tape->models[i], true);
	}
	if (!tape) {
		put_model(&w, o->model, false);
	}
	json_writer_close(&w, "]}");
	delivery_whole(c, 200, "application/json", buf_span(&body));
	buf_finish(&body);
}

static void health(struct engine_client *c, const struct http_request *r)
{
	delivery_whole(c, 200, "application/json", SPAN(""));
}

static void version(struct engine_client *c, const struct http_request *r)
{
	delivery_whole(c, 200, "application/json",
	        c->worker->options->tape
	                ? SPAN("{\"version\":\"" PLUMBLINE_VERSION "\",\"recorded\":true}")
	                : SPAN("{\"version\":\"" PLUMBLINE_VERSION "\",\"simulated\":true}"));
}

static void metrics(struct engine_client *c, const struct http_request *r)
{
	const struct worker *w = c->worker;
	struct buf body = {0};
	uint32_t waiting = 0, clients = 0;
	LIST_EACH(struct engine_client, each, link, &w->clients)
	{
		clients++;
		waiting += each->responder != NULL;
	}
	waiting -= w->running;
	buf_printf(&body,
	        "# Of one worker.\n"
	        "simulated_requests_total %llu\n"
	        "simulated_turns_total %llu\n"
	        "simulated_tokens_total %llu\n"
	        "simulated_cancelled_total %llu\n"
	        "simulated_running %u\n"
	        "simulated_running_peak %u\n"
	        "simulated_waiting %u\n"
	        "simulated_connections %u\n",
	        (unsigned long long)w->n_requests, (unsigned long long)w->n_turns,
	        (unsigned long long)w->n_tokens, (unsigned long long)w->n_cancelled, w->running,
	        w->peak, waiting, clients);
	delivery_whole(c, 200, "text/plain; version=0.0.4", buf_span(&body));
	buf_finish(&body);
}

static void serve_truth(struct engine_client *c, const struct http_request *r, truth_fn truth)
{
	struct buf body = {0};
	struct engine_problem problem;
	if (truth(c->worker, r, &body, &problem)) {
		delivery_whole(c, 200, "application/json", buf_span(&body));
	} else {
		delivery_problem(c, &problem);
	}
	buf_finish(&body);
}

static void tokenize(struct engine_client *c, const struct http_request *r)
{
	serve_truth(c, r, ground_truth_tokenize);
}

static void distribution(struct engine_client *c, const struct http_request *r)
{
	serve_truth(c, r, ground_truth_distribution);
}

static const struct {
	const char *method, *path;
	void (*serve)(struct engine_client *c, const struct http_request *r);
	bool recorded; /* needs no model: also available if recorded answers are played back */
} ENDPOINTS[] = {
        {"POST", "/v1/chat/completions", chat, false},
        {"POST", "/v1/completions", completions, false},
        {"GET", "/v1/models", models, true},
        {"GET", "/health", health, true},
        {"GET", "/version", version, true},
        {"GET", "/metrics", metrics, true},
        {"POST", "/tokenize", tokenize, false},
        {"POST", "/simulated/distribution", distribution, false},
};

/* Applies the faults that do not depend on the request's content. True: the request was handled. */
static bool fails(struct engine_client *c, const struct http_request *r)
{
	const struct fault_set *faults = &r->faults;
	if (fault_on(faults, FAULT_REFUSE)) {
		delivery_break(c, ENGINE_CLIENT_CLOSE);
	} else if (fault_on(faults, FAULT_HANG)) {
		generated_answer_hang(c);
	} else if (fault_on(faults, FAULT_STATUS)) {
		int status = (int)faults->value[FAULT_STATUS];
		delivery_error(c, MIN(MAX(status, 200), 599),
		        "The simulated engine was told to answer so.");
	} else if (fault_on(faults, FAULT_500)) {
		delivery_error(c, 500, "The simulated engine was told to fail.");
	} else if (fault_on(faults, FAULT_429)) {
		delivery_error(c, 429, "The simulated engine was told to be overloaded.");
	} else {
		return false;
	}
	batch_effects_failed(&c->worker->batch, faults);
	return true;
}

void endpoints_serve(struct engine_client *c)
{
	const struct http_request *r = &c->request;
	bool path_known = false, recorded = c->worker->options->tape;
	if (r->problem.status) {
		delivery_problem(c, &r->problem);
		return;
	}
	if (r->faults.on && fails(c, r)) {
		return;
	}
	for (size_t i = 0; i < ARRAY_LEN(ENDPOINTS); i++) {
		if (!span_is(r->path, ENDPOINTS[i].path) || (recorded && !ENDPOINTS[i].recorded)) {
			continue;
		}
		path_known = true;
		const char *method = ENDPOINTS[i].method;
		if (span_is(r->method, method) ||
		        (span_is(r->method, "HEAD") && strcmp(method, "GET") == 0)) {
			ENDPOINTS[i].serve(c, r);
			return;
		}
	}
	if (!path_known && recorded && span_is(r->method, "POST")) {
		playback_begin(c, r);
	} else if (path_known) {
		delivery_error(c, 405, "This path does not take that method.");
	} else {
		delivery_error(c, 404, "There is nothing at this path.");
	}
}
