#include "backends/engine/generated_answer.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "backends/engine/delivery.h"
#include "backends/engine/generation.h"
#include "backends/engine/answer_json.h"
#include "backends/engine/prefix_cache.h"
#include "base/clock.h"
#include "base/mem.h"
#include "base/rng.h"

#define TURN_MAGIC 0x7475726eu
#define FLOOD_PIECE 16384
#define FLOOD_EVENT                                                                                \
	"{\"id\":\"flood\",\"object\":\"chat.completion.chunk\",\"choices\":"                      \
	"[{\"index\":0,\"delta\":{\"content\":\""
#define FLOOD_EVENT_END "\"},\"logprobs\":null,\"finish_reason\":null}]}"
#define FLOOD_BODY                                                                                 \
	"{\"id\":\"flood\",\"object\":\"chat.completion\",\"choices\":"                            \
	"[{\"index\":0,\"message\":{\"role\":\"assistant\",\"content\":\""
#define FLOOD_BODY_END "\"},\"logprobs\":null,\"finish_reason\":\"stop\"}]}"

struct generated_answer {
	uint32_t magic;
	struct responder responder;
	struct engine_client *client;
	struct worker *worker;
	struct engine_request request;
	struct list queued; /* in worker->waiting */
	bool admitted, begun, stalled;
	bool drains; /* continues after its output has been sent */
	struct presence presence;
	struct tokens overheard; /* tokens of another request's prompt, to be leaked */
	struct generation *choices;
	uint32_t n_choices;
	struct answer_json json;
	struct answer_json_usage usage;
	uint64_t due_ns; /* of the next token */
	uint32_t n_events;
	uint64_t flood_left;
	struct buf event; /* the event of a stream that is being written */
};

static void admit_next(struct worker *w);
static void tick(struct engine_client *c);

static const struct fault_set *faults_of(const struct generated_answer *t)
{
	return &t->client->request.faults;
}

/* Frees the answer and gives its slot to the next one in the queue. */
static void destroy(struct generated_answer *t)
{
	t->client->responder = NULL;
	batch_effects_leave(&t->worker->batch, &t->presence);
	list_remove(&t->queued);
	if (t->admitted) {
		t->worker->running--;
		admit_next(t->worker);
	}
	for (uint32_t i = 0; i < t->n_choices; i++) {
		t->worker->n_tokens += t->choices[i].n_tokens;
		generation_finish(&t->choices[i]);
	}
	free(t->choices);
	answer_json_finish(&t->json);
	engine_request_finish(&t->request);
	tokens_finish(&t->overheard);
	buf_finish(&t->event);
	t->magic = 0;
	free(t);
}

static void cancel(struct responder *r);
static void drained(struct responder *r);
static const struct responder_kind KIND = {cancel, drained};

static struct generated_answer *turn_of(struct responder *r)
{
	struct generated_answer *t = CONTAINER_OF(r, struct generated_answer, responder);
	expect(t->magic == TURN_MAGIC);
	return t;
}

static void cancel(struct responder *r)
{
	struct generated_answer *t = turn_of(r);
	t->worker->n_cancelled++;
	destroy(t);
}

/* Draws a delay with a log-normal distribution; longer in a fuller batch. */
static uint64_t spread_delay(struct worker *w, uint64_t ns)
{
	double load = 1 + 0.01 * (w->running > 1 ? w->running - 1 : 0);
	double spread =
	        w->options->jitter > 0 ? exp(w->options->jitter * rng_normal(&w->random)) : 1;
	return (uint64_t)((double)ns * load * spread);
}

/* Returns the time from one token to the next. */
static uint64_t token_delay(struct generated_answer *t)
{
	double factor = t->request.logprobs ? fault_value(faults_of(t), FAULT_SLOW_LOGPROBS, 1) : 1;
	return (uint64_t)((double)spread_delay(t->worker, t->worker->options->itl_ns) * factor);
}

static const char *line_end(const struct generated_answer *t)
{
	return fault_on(faults_of(t), FAULT_CRLF) ? "\r\n" : "\n";
}

/* Returns the buffer to which the caller appends the event's data; end_event() sends it. */
static struct buf *begin_event(struct generated_answer *t)
{
	buf_clear(&t->event);
	if (fault_on(faults_of(t), FAULT_COMMENTS)) {
		buf_printf(&t->event, ": keepalive %u%s%s", t->n_events, line_end(t), line_end(t));
	}
	buf_append_str(&t->event, "data: ");
	return &t->event;
}

static void end_event(struct generated_answer *t)
{
	buf_append_str(&t->event, line_end(t));
	buf_append_str(&t->event, line_end(t));
	t->n_events++;
	delivery_piece(t->client, buf_span(&t->event));
}

static void put_delta(struct generated_answer *t, struct generation *g, uint32_t row)
{
	answer_json_delta(&t->json, g, row, begin_event(t));
	end_event(t);
}

static void put_end(struct generated_answer *t, struct generation *g)
{
	answer_json_end(&t->json, g, begin_event(t));
	end_event(t);
}

static void sum_usage(struct generated_answer *t)
{
	t->usage.completion = t->usage.reasoning = 0;
	for (uint32_t i = 0; i < t->n_choices; i++) {
		t->usage.completion += t->choices[i].n_tokens;
		t->usage.reasoning += t->choices[i].n_reasoning;
	}
}

static bool running(const struct generated_answer *t)
{
	for (uint32_t i = 0; i < t->n_choices; i++) {
		if (t->choices[i].finish == GENERATION_RUNNING) {
			return true;
		}
	}
	return false;
}

/* Generates one token of each choice that is not finished. */
static void step(struct generated_answer *t)
{
	double noise = batch_effects_noise(&t->worker->batch, faults_of(t), t->usage.cached);
	for (uint32_t i = 0; i < t->n_choices; i++) {
		struct generation *g = &t->choices[i];
		if (g->finish != GENERATION_RUNNING) {
			continue;
		}
		uint32_t row = g->n_rows, tokens = g->n_tokens;
		generation_disturb(g, noise);
		generation_step(g);
		if (!t->request.stream) {
			continue;
		}
		bool ended = g->finish != GENERATION_RUNNING;
		bool silent =
		        ended && g->n_rows == row && g->content.released == g->content.bytes.len;
		if (g->n_tokens > tokens && !silent) {
			put_delta(t, g, row);
		}
		if (ended) {
			put_end(t, g);
		}
	}
}

static void send_unary(struct generated_answer *t)
{
	struct engine_client *c = t->client;
	struct buf body = {0};
	sum_usage(t);
	answer_json_unary(&t->json, t->choices, t->n_choices, &t->usage, &body);
	destroy(t);
	delivery_whole(c, 200, "application/json", buf_span(&body));
	buf_finish(&body);
}

static void begin_stream(struct generated_answer *t)
{
	t->begun = true;
	delivery_begin(t->client, "text/event-stream; charset=utf-8");
	for (uint32_t i = 0; i < t->n_choices; i++) {
		struct generation *g = &t->choices[i];
		if (t->request.endpoint == ENDPOINT_CHAT) {
			answer_json_role(&t->json, g, begin_event(t));
			end_event(t);
		} else if (t->request.echo) {
			put_delta(t, g, 0);
		}
		if (g->finish != GENERATION_RUNNING) {
			put_end(t, g);
		}
	}
}

static void end_delivery(struct generated_answer *t)
{
	struct engine_client *c = t->client;
	destroy(t);
	delivery_end(c);
}

static void end_stream(struct generated_answer *t)
{
	if (t->request.include_usage) {
		sum_usage(t);
		answer_json_usage(&t->json, &t->usage, begin_event(t));
		end_event(t);
	}
	if (!fault_on(faults_of(t), FAULT_NO_DONE)) {
		buf_append_str(begin_event(t), "[DONE]");
		end_event(t);
	}
	end_delivery(t);
}

/* Applies the faults that end a stream early. True: the answer was destroyed. */
static bool break_stream(struct generated_answer *t)
{
	const struct fault_set *faults = faults_of(t);
	struct engine_client *c = t->client;
	bool resets = t->n_events >= fault_value(faults, FAULT_RESET, INFINITY);
	bool fails = t->n_events >= fault_value(faults, FAULT_ERROR, INFINITY);
	bool cut = fault_on(faults, FAULT_CUT) && t->n_events >= 3;
	if (!fails && !resets && !cut) {
		return false;
	}
	batch_effects_failed(&t->worker->batch, faults);
	if (fails) {
		engine_problem_put(500, "The simulated engine failed while it generated.", NULL,
		        begin_event(t));
		end_event(t);
		end_delivery(t);
		return true;
	}
	if (cut) {
		delivery_piece(c, SPAN("data: {\"id\":\"chatcmpl-cut\",\"object\":\"chat.comp"));
	}
	destroy(t);
	delivery_break(c, resets ? ENGINE_CLIENT_RESET : ENGINE_CLIENT_CLOSE);
	return true;
}

static void flood(struct generated_answer *t)
{
	char filler[FLOOD_PIECE];
	memset(filler, 'a', sizeof(filler));
	while (t->flood_left > 0 &&
	        engine_client_backlog(t->client) < ENGINE_CLIENT_BACKLOG_LIMIT) {
		struct span piece = {filler, (size_t)MIN(t->flood_left, sizeof(filler))};
		t->flood_left -= piece.len;
		if (t->request.stream) {
			struct buf *to = begin_event(t);
			buf_append_str(to, FLOOD_EVENT);
			buf_append_span(to, piece);
			buf_append_str(to, FLOOD_EVENT_END);
			end_event(t);
		} else {
			delivery_piece(t->client, piece);
		}
	}
}

static void flood_unary(struct generated_answer *t)
{
	if (!t->begun) {
		t->begun = true;
		delivery_begin(t->client, "application/json");
		delivery_piece(t->client, SPAN(FLOOD_BODY));
	}
	flood(t);
	if (t->flood_left == 0) {
		delivery_piece(t->client, SPAN(FLOOD_BODY_END));
		end_delivery(t);
	}
}

/* Applies the fault that delays the rest. False: it does not apply, or no longer. */
static bool begin_stall(struct generated_answer *t)
{
	const struct fault_set *faults = faults_of(t);
	if (!fault_on(faults, FAULT_STALL) || t->stalled ||
	        (t->request.stream && t->n_events < 3)) {
		return false;
	}
	t->stalled = true;
	engine_client_wait(t->client, (uint64_t)faults->value[FAULT_STALL], tick);
	return true;
}

static void tick_stream(struct generated_answer *t)
{
	struct worker *w = t->worker;
	uint64_t itl = w->options->itl_ns;
	uint64_t now = itl ? clock_mono() : 0;
	if (!t->begun) {
		begin_stream(t);
	}
	while (running(t)) {
		if (break_stream(t) || begin_stall(t)) {
			return;
		}
		if (engine_client_backlog(t->client) > ENGINE_CLIENT_BACKLOG_LIMIT) {
			t->drains = true;
			return;
		}
		if (itl && t->due_ns > now) {
			engine_client_wait(t->client, t->due_ns - now, tick);
			return;
		}
		step(t);
		t->due_ns += token_delay(t);
	}
	flood(t);
	if (t->flood_left > 0) {
		t->drains = true;
	} else if (!break_stream(t)) {
		end_stream(t);
	}
}

/* Generates all tokens at once, then waits for the time that they would have taken. */
static void tick_unary(struct generated_answer *t)
{
	uint64_t itl = t->worker->options->itl_ns, delay = 0;
	if (t->flood_left > 0) {
		flood_unary(t);
		return;
	}
	if (begin_stall(t)) {
		return;
	}
	for (; running(t); delay += itl ? token_delay(t) : 0) {
		step(t);
	}
	if (delay > 0) {
		engine_client_wait(t->client, delay, tick);
	} else {
		send_unary(t);
	}
}

static void tick(struct engine_client *c)
{
	struct generated_answer *t = c->responder ? turn_of(c->responder) : NULL;
	if (t && t->request.stream) {
		tick_stream(t);
	} else if (t) {
		tick_unary(t);
	}
}

static void drained(struct responder *r)
{
	struct generated_answer *t = turn_of(r);
	if (t->drains || (t->flood_left > 0 && t->begun)) {
		t->drains = false;
		engine_client_wait(t->client, 0, tick);
	}
}

static void make_choices(struct generated_answer *t)
{
	struct worker *w = t->worker;
	const struct engine_options *o = w->options;
	uint64_t random_seed = rng_next(&w->random);
	struct generation_options g = {
	        .tags = o->reasoning == ENGINE_REASONING_TAGS,
	        .seed = t->request.sampling.has_seed ? t->request.sampling.seed : random_seed,
	        .noise_seed = o->fresh_noise ? random_seed : o->seed,
	        .is_spoilt = batch_effects_spoils(&w->batch),
	        .intruding = &t->overheard,
	        .mixed_with =
	                batch_effects_mix_up(&w->batch, &t->presence, faults_of(t), &w->random),
	};
	batch_effects_overhear(&w->batch, &t->presence, faults_of(t), &w->random, &t->overheard);
	t->n_choices = (uint32_t)t->request.n * t->request.n_prompts;
	for (uint32_t i = 0; i < t->request.n_prompts; i++) {
		t->usage.prompt += (int64_t)t->request.prompts[i].n;
		t->usage.cached += prefix_cache_look_up(
		        w->prefixes, &t->request.prompts[i], t->request.cache_salt);
	}
	g.noise = batch_effects_noise(&w->batch, faults_of(t), t->usage.cached);
	t->choices = xcalloc(t->n_choices, sizeof(*t->choices));
	for (uint32_t i = 0; i < t->n_choices; i++) {
		generation_init(&t->choices[i], w->language, &t->request, i, faults_of(t), &g);
	}
	bool by_content = o->ids == ENGINE_IDS_CONTENT;
	answer_json_init(&t->json, o, &t->request, t->client->request.replica,
	        by_content ? engine_request_hash(&t->request) : rng_next(&w->random),
	        by_content ? 1700000000 : (int64_t)time(NULL));
}

static void admit(struct generated_answer *t)
{
	struct worker *w = t->worker;
	uint64_t ttft = w->options->ttft_ns;
	t->admitted = true;
	w->running++;
	w->peak = MAX(w->peak, w->running);
	batch_effects_enter(&w->batch, &t->presence, &t->request.prompts[0]);
	make_choices(t);
	uint64_t delay = ttft > 0 ? spread_delay(w, ttft) : 0;
	t->due_ns = clock_mono() + delay;
	if (delay > 0) {
		engine_client_wait(t->client, delay, tick);
	} else {
		tick(t->client);
	}
}

static void admit_later(struct engine_client *c)
{
	struct generated_answer *t = c->responder ? turn_of(c->responder) : NULL;
	if (t && !t->admitted) {
		admit(t);
	}
}

/* Admits the next answer in the queue. Its own timer starts its first tick. */
static void admit_next(struct worker *w)
{
	if (list_empty(&w->waiting) || w->running >= w->options->max_batch) {
		return;
	}
	struct generated_answer *t = LIST_ITEM(struct generated_answer, queued, w->waiting.next);
	list_remove(&t->queued);
	engine_client_wait(t->client, 0, admit_later);
}

static struct generated_answer *create(struct engine_client *c)
{
	struct generated_answer *t = xcalloc(1, sizeof(*t));
	*t = (struct generated_answer){
	        .magic = TURN_MAGIC, .responder = {&KIND}, .client = c, .worker = c->worker};
	c->responder = &t->responder;
	return t;
}

void generated_answer_begin(
        struct engine_client *c, const struct http_request *r, enum endpoint endpoint)
{
	struct worker *w = c->worker;
	struct engine_problem problem;
	struct generated_answer *t = create(c);
	bool good = engine_request_parse(&t->request, endpoint, r->body, w->options, &problem);
	if (good && (t->request.logprobs || t->request.include_usage) &&
	        fault_on(&r->faults, FAULT_REFUSE_LOGPROBS)) {
		good = engine_problem_set(&problem, "logprobs",
		        "This engine gives no logprobs and no usage in streams.");
	}
	if (!good) {
		destroy(t);
		batch_effects_failed(&w->batch, &r->faults);
		delivery_problem(c, &problem);
		return;
	}
	fault_apply_to_request(&r->faults, &t->request);
	t->flood_left = (uint64_t)fault_value(&r->faults, FAULT_FLOOD, 0);
	w->n_turns++;
	if (w->running < w->options->max_batch) {
		admit(t);
	} else {
		list_append(&w->waiting, &t->queued);
	}
}

void generated_answer_hang(struct engine_client *c)
{
	(void)create(c);
}
