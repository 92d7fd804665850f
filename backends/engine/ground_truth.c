#include "backends/engine/ground_truth.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "backends/engine/answer_json.h"
#include "backends/engine/ranking.h"
#include "base/json.h"
#include "base/mem.h"

#define POSITIONS_MAX 4096

/* The prompt as the engine would read it: prompt or messages, without any fault. */
static bool read_prompt(
        const struct worker *w, struct span body, struct ask *ask, struct ask_problem *ret_problem)
{
	struct json_token t;
	struct span span;
	bool is_chat = json_find_member(body, "messages", &t, &span);
	return ask_parse(ask, is_chat ? ASK_CHAT : ASK_COMPLETION, body, w->options, ret_problem);
}

bool ground_truth_tokenize(const struct worker *w, const struct request *r, struct buf *to,
        struct ask_problem *ret_problem)
{
	struct json_token t;
	struct span span;
	struct tokens tokens = {0};
	struct json_style p = {to, ENGINE_JSON_COMPACT};
	if (!json_is_one_object(r->body)) {
		return ask_fail(ret_problem, 400, NULL, "The body must be a JSON object.");
	}
	if (json_find_member(r->body, "text", &t, &span) && t.type == JSON_STRING) {
		struct buf text = {0};
		json_unescape(&t, &text);
		vocabulary_encode(vocabulary_get(), buf_span(&text), &tokens);
		buf_finish(&text);
	} else {
		struct ask ask;
		bool good = read_prompt(w, r->body, &ask, ret_problem);
		for (size_t i = 0; good && i < ask.prompts[0].n; i++) {
			tokens_push(&tokens, ask.prompts[0].items[i]);
		}
		ask_finish(&ask);
		if (!good) {
			return false;
		}
	}
	json_style_open(&p, NULL, '{');
	json_style_open(&p, "tokens", '[');
	for (size_t i = 0; i < tokens.n; i++) {
		uint32_t id = tokens.items[i];
		json_style_open(&p, NULL, '{');
		json_style_integer(&p, "id", id);
		json_style_string(&p, "token", vocabulary_name(vocabulary_get(), id));
		json_style_bytes(&p, "bytes", vocabulary_bytes(vocabulary_get(), id));
		json_style_close(&p, '}');
	}
	json_style_close(&p, ']');
	json_style_close(&p, '}');
	tokens_finish(&tokens);
	return true;
}

bool ground_truth_ids(const struct worker *w, const struct request *r, struct buf *to,
        struct ask_problem *ret_problem)
{
	struct ask ask;
	struct json_token t;
	struct span span;
	struct json_style p = {to, ENGINE_JSON_COMPACT};
	if (!json_is_one_object(r->body)) {
		return ask_fail(ret_problem, 400, NULL, "The body must be a JSON object.");
	}
	bool bare =
	        json_find_member(r->body, "add_special_tokens", &t, &span) && t.type == JSON_FALSE;
	bool good = read_prompt(w, r->body, &ask, ret_problem);
	if (good) {
		const struct tokens *prompt = &ask.prompts[0];
		size_t from = bare && ask.endpoint == ASK_COMPLETION && prompt->n > 0 &&
		              prompt->items[0] == TOKEN_BOS;
		json_style_open(&p, NULL, '{');
		json_style_integer(&p, "count", (int64_t)(prompt->n - from));
		json_style_open(&p, "tokens", '[');
		for (size_t i = from; i < prompt->n; i++) {
			json_style_integer(&p, NULL, prompt->items[i]);
		}
		json_style_close(&p, ']');
		json_style_close(&p, '}');
	}
	ask_finish(&ask);
	return good;
}

struct question {
	struct tokens continuation;
	struct tokens wanted; /* ids to be listed beside the first ones */
	int64_t top;          /* SIZE: the whole vocabulary */
	bool disturbed;       /* with the noise and quantisation that requests get */
};

static bool read_ids(struct span span, struct tokens *to, struct ask_problem *ret_problem)
{
	struct json j;
	struct json_token t = json_begin(&j, span);
	int64_t id;
	while (t.type == JSON_ARRAY && (t = json_next(&j)).type == JSON_NUMBER) {
		if (!json_integer(&t, &id) || id < 0 || id >= vocabulary_size(vocabulary_get())) {
			return ask_fail(ret_problem, 400, "tokens", "A token id is out of range.");
		}
		tokens_push(to, (uint32_t)id);
		t.type = JSON_ARRAY;
	}
	return t.type == JSON_ARRAY_END ||
	       ask_fail(ret_problem, 400, "tokens", "Token ids must be an array of integers.");
}

static bool read_question(struct span body, struct question *q, struct ask_problem *ret_problem)
{
	struct json_token t;
	struct span span;
	q->top = 20;
	if (json_find_member(body, "tokens", &t, &span) &&
	        !read_ids(span, &q->continuation, ret_problem)) {
		return false;
	}
	if (json_find_member(body, "text", &t, &span) && t.type == JSON_STRING) {
		struct buf text = {0};
		json_unescape(&t, &text);
		vocabulary_encode(vocabulary_get(), buf_span(&text), &q->continuation);
		buf_finish(&text);
	}
	if (json_find_member(body, "ids", &t, &span) && !read_ids(span, &q->wanted, ret_problem)) {
		return false;
	}
	if (json_find_member(body, "top", &t, &span) &&
	        (t.type != JSON_NUMBER || !json_integer(&t, &q->top) || q->top < 0)) {
		return ask_fail(ret_problem, 400, "top", "top must be an integer from 0.");
	}
	q->disturbed = !json_find_member(body, "exact", &t, &span) || t.type != JSON_TRUE;
	if (q->continuation.n > POSITIONS_MAX) {
		return ask_fail(ret_problem, 400, "tokens", "At most %d positions are allowed.",
		        POSITIONS_MAX);
	}
	return true;
}

static float logit_of(const struct language *l, const struct language_spread *spread, uint32_t id)
{
	for (uint32_t i = 0; i < spread->n; i++) {
		if (spread->items[i].id == id) {
			return spread->items[i].logit;
		}
	}
	return language_tail_logit(l, spread, id);
}

static void put_position(struct json_style *p, const struct worker *w, const struct question *q,
        struct language_spread *spread, const uint32_t *chosen)
{
	const struct vocabulary *v = language_vocabulary(w->language);
	double z = language_normaliser(w->language, spread);
	struct language_item items[LANGUAGE_CANDIDATES], item;
	struct ranking r;
	memcpy(items, spread->items, sizeof(items));
	ranking_init(&r, w->language, spread, items, spread->n);
	json_style_open(p, NULL, '{');
	if (chosen) {
		answer_json_token(p, "chosen", v, *chosen,
		        (double)(float)((double)logit_of(w->language, spread, *chosen) - z), true);
	}
	json_style_open(p, "top", '[');
	for (int64_t i = 0; i < q->top && ranking_next(&r, &item); i++) {
		answer_json_token(
		        p, NULL, v, item.id, (double)(float)((double)item.logit - z), true);
	}
	json_style_close(p, ']');
	json_style_open(p, "ids", '[');
	for (size_t i = 0; i < q->wanted.n; i++) {
		uint32_t id = q->wanted.items[i];
		answer_json_token(p, NULL, v, id,
		        (double)(float)((double)logit_of(w->language, spread, id) - z), true);
	}
	json_style_close(p, ']');
	json_style_close(p, '}');
}

static void put_distribution(const struct worker *w, const struct request *r,
        const struct tokens *prompt, const struct question *q, struct buf *to)
{
	struct json_style p = {to, ENGINE_JSON_COMPACT};
	struct language_state state;
	struct language_numerics numerics = {
	        .noise = fault_value(&r->faults, FAULT_NOISE, 0),
	        .step = fault_value(&r->faults, FAULT_QUANTISE, 0),
	        .gain = fault_value(&r->faults, FAULT_CONFIDENT, 0),
	        .noise_seed = w->options->seed,
	};
	language_begin(w->language, &state);
	for (size_t i = 0; i < prompt->n; i++) {
		language_push(w->language, &state, prompt->items[i]);
	}
	json_style_open(&p, NULL, '{');
	json_style_string(&p, "object", SPAN("simulated.distribution"));
	json_style_integer(&p, "vocabulary", vocabulary_size(language_vocabulary(w->language)));
	json_style_integer(&p, "prompt_tokens", (int64_t)prompt->n);
	json_style_open(&p, "positions", '[');
	for (size_t i = 0; i <= q->continuation.n; i++) {
		struct language_spread spread;
		const uint32_t *chosen = i < q->continuation.n ? &q->continuation.items[i] : NULL;
		language_spread(w->language, &state, &spread);
		if (q->disturbed) {
			language_disturb(&numerics, &state, &spread);
		}
		put_position(&p, w, q, &spread, chosen);
		if (chosen) {
			language_push(w->language, &state, *chosen);
		}
	}
	json_style_close(&p, ']');
	json_style_close(&p, '}');
}

bool ground_truth_distribution(const struct worker *w, const struct request *r, struct buf *to,
        struct ask_problem *ret_problem)
{
	struct ask ask;
	struct question q = {0};
	bool good = read_prompt(w, r->body, &ask, ret_problem) &&
	            read_question(r->body, &q, ret_problem);
	if (good) {
		fault_apply_to_ask(&r->faults, &ask);
		put_distribution(w, r, &ask.prompts[0], &q, to);
	}
	tokens_finish(&q.continuation);
	tokens_finish(&q.wanted);
	ask_finish(&ask);
	return good;
}
