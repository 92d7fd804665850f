#include "backends/engine/ask.h"

#include "base/json.h"

static bool read_token_ids(
        struct ask *ask, struct json *j, struct json_token t, struct ask_problem *ret_problem)
{
	if (ask->n_prompts == ASK_PROMPTS_MAX) {
		return ask_fail(ret_problem, 400, "prompt", "At most %d prompts are allowed.",
		        ASK_PROMPTS_MAX);
	}
	struct tokens *to = &ask->prompts[ask->n_prompts++];
	uint32_t size = vocabulary_size(vocabulary_get());
	for (; t.type == JSON_NUMBER; t = json_next(j)) {
		int64_t id;
		if (!json_integer(&t, &id) || id < 0 || id >= size) {
			return ask_fail(ret_problem, 400, "prompt",
			        "A token id must be an integer from 0 to %u.", size - 1);
		}
		if (to->n == ASK_TOKENS_MAX) {
			return ask_fail(ret_problem, 400, "prompt", "The prompt is too long.");
		}
		tokens_push(to, (uint32_t)id);
	}
	return t.type == JSON_ARRAY_END ||
	       ask_fail(ret_problem, 400, "prompt", "Token ids must be integers.");
}

static bool read_text(struct ask *ask, const struct json_token *t, struct ask_problem *ret_problem)
{
	if (ask->n_prompts == ASK_PROMPTS_MAX) {
		return ask_fail(ret_problem, 400, "prompt", "At most %d prompts are allowed.",
		        ASK_PROMPTS_MAX);
	}
	struct tokens *to = &ask->prompts[ask->n_prompts++];
	struct buf text = {0};
	json_unescape(t, &text);
	tokens_push(to, TOKEN_BOS);
	vocabulary_encode(vocabulary_get(), buf_span(&text), to);
	buf_finish(&text);
	return to->n <= ASK_TOKENS_MAX ||
	       ask_fail(ret_problem, 400, "prompt", "The prompt is too long.");
}

bool ask_prompt(struct ask *ask, struct span value, struct ask_problem *ret_problem)
{
	struct json j;
	struct json_token t = json_begin(&j, value);
	if (t.type == JSON_STRING) {
		return read_text(ask, &t, ret_problem);
	}
	if (t.type != JSON_ARRAY) {
		return ask_fail(ret_problem, 400, "prompt",
		        "prompt must be a string, or an array of strings or token ids.");
	}
	t = json_next(&j);
	if (t.type == JSON_NUMBER) {
		return read_token_ids(ask, &j, t, ret_problem);
	}
	for (; t.type == JSON_STRING || t.type == JSON_ARRAY; t = json_next(&j)) {
		bool good = t.type == JSON_STRING
		                    ? read_text(ask, &t, ret_problem)
		                    : read_token_ids(ask, &j, json_next(&j), ret_problem);
		if (!good) {
			return false;
		}
	}
	if (t.type != JSON_ARRAY_END || ask->n_prompts == 0) {
		return ask_fail(ret_problem, 400, "prompt",
		        "prompt must be a string, or an array of strings or token ids.");
	}
	return true;
}
