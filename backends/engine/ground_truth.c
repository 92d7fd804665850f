#include "backends/engine/ground_truth.h"

#include "backends/engine/answer_json.h"
#include "backends/engine/ranking.h"
#include "base/json.h"

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

bool ground_truth_tokenize(const struct worker *w, const struct http_request *r, struct buf *to,
        struct engine_problem *ret_problem)
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
		fault_apply_to_state(&r->faults, &state);
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

bool ground_truth_distribution(const struct worker *w, const struct http_request *r, struct buf *to,
        struct engine_problem *ret_problem)
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
