#include "backends/engine/endpoints.h"

#include <string.h>

#include "backends/engine/canned.h"
#include "backends/engine/delivery.h"
#include "base/json_writer.h"
#include "backends/engine/playback.h"
#include "backends/engine/recorded_answers.h"
#include "backends/engine/ground_truth.h"
#include "backends/engine/generated_answer.h"

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
