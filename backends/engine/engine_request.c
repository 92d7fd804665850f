#include "backends/engine/engine_request.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "backends/engine/chat_template.h"
#include "backends/engine/engine.h"
#include "backends/engine/schema.h"
#include "base/json.h"
#include "base/rng.h"
#include "base/mem.h"

/* Reading and checking of the members. */

/* One member of the request being read: its name and its value, which is not null. */
struct member {
	struct engine_request *request;
	struct json_token value; /* the first token */
	struct span span;        /* the whole value */
	struct engine_problem *problem;
	const char *name;
};

static bool take_bool(struct member *m, bool *ret)
{
	*ret = m->value.type == JSON_TOKEN_TRUE;
	return *ret || m->value.type == JSON_TOKEN_FALSE ||
	       engine_problem_set(m->problem, m->name, "%s must be a boolean.", m->name);
}

static bool take_integer(struct member *m, int64_t min, int64_t max, int64_t *ret)
{
	if (m->value.type != JSON_TOKEN_NUMBER || !json_token_integer(&m->value, ret)) {
		return engine_problem_set(m->problem, m->name, "%s must be an integer.", m->name);
	}
	return (*ret >= min && *ret <= max) ||
	       engine_problem_set(m->problem, m->name,
	               "%s must be between %lld and %lld, not %lld.", m->name, (long long)min,
	               (long long)max, (long long)*ret);
}

static bool take_number(struct member *m, double min, double max, double *ret)
{
	*ret = m->value.type == JSON_TOKEN_NUMBER ? json_token_number(&m->value) : NAN;
	if (isnan(*ret)) {
		return engine_problem_set(m->problem, m->name, "%s must be a number.", m->name);
	}
	return (*ret >= min && *ret <= max) ||
	       engine_problem_set(m->problem, m->name, "%s must be between %g and %g, not %g.",
	               m->name, min, max, *ret);
}

static bool take_model(struct member *m)
{
	if (m->value.type != JSON_TOKEN_STRING) {
		return engine_problem_set(m->problem, "model", "model must be a string.");
	}
	free(m->request->model);
	m->request->model = json_token_dup(&m->value);
	return true;
}

static bool take_messages(struct member *m)
{
	m->request->messages = m->span;
	return true;
}

static struct tokens *add_prompt(struct member *m)
{
	if (m->request->n_prompts == ENGINE_PROMPTS_MAX) {
		engine_problem_set(m->problem, "prompt", "At most %d prompts are allowed.",
		        ENGINE_PROMPTS_MAX);
		return NULL;
	}
	return &m->request->prompts[m->request->n_prompts++];
}

/* Reads the rest of an array of token ids; t is its first element. */
static bool add_ids(struct member *m, struct json *j, struct json_token t)
{
	struct tokens *to = add_prompt(m);
	uint32_t size = vocabulary_size();
	for (; to && t.type == JSON_TOKEN_NUMBER; t = json_next(j)) {
		int64_t id;
		if (!json_token_integer(&t, &id) || id < 0 || id >= size) {
			return engine_problem_set(m->problem, "prompt",
			        "A token id must be an integer from 0 to %u.", size - 1);
		}
		if (to->n == ENGINE_TOKENS_MAX) {
			return engine_problem_set(m->problem, "prompt", "The prompt is too long.");
		}
		tokens_push(to, (uint32_t)id);
	}
	return to && (t.type == JSON_TOKEN_ARRAY_END || engine_problem_set(m->problem, "prompt",
	                                                        "Token ids must be integers."));
}

static bool add_text(struct member *m, const struct json_token *t)
{
	struct tokens *to = add_prompt(m);
	if (!to) {
		return false;
	}
	tokens_push(to, TOKEN_BOS);
	vocabulary_encode_string(t, to);
	return to->n <= ENGINE_TOKENS_MAX ||
	       engine_problem_set(m->problem, "prompt", "The prompt is too long.");
}

/* Reads a text, token ids, or an array of these. */
static bool take_prompt(struct member *m)
{
	struct json j;
	struct json_token t = json_begin(&j, m->span);
	if (t.type == JSON_TOKEN_STRING) {
		return add_text(m, &t);
	}
	if (t.type == JSON_TOKEN_ARRAY) {
		t = json_next(&j);
		if (t.type == JSON_TOKEN_NUMBER) {
			return add_ids(m, &j, t);
		}
		for (; t.type == JSON_TOKEN_STRING || t.type == JSON_TOKEN_ARRAY;
		        t = json_next(&j)) {
			if (t.type == JSON_TOKEN_STRING ? !add_text(m, &t)
			                                : !add_ids(m, &j, json_next(&j))) {
				return false;
			}
		}
	}
	return (t.type == JSON_TOKEN_ARRAY_END && m->request->n_prompts > 0) ||
	       engine_problem_set(m->problem, "prompt",
	               "prompt must be a string, or an array of strings or token ids.");
}

static bool take_stream_options(struct member *m)
{
	struct json_token t;
	if (m->value.type != JSON_TOKEN_OBJECT) {
		return engine_problem_set(
		        m->problem, "stream_options", "stream_options must be an object.");
	}
	m->request->include_usage =
	        json_find_member(m->span, "include_usage", &t, NULL) && t.type == JSON_TOKEN_TRUE;
	return true;
}

static bool take_logprobs(struct member *m)
{
	if (m->request->endpoint == ENDPOINT_CHAT) {
		return take_bool(m, &m->request->logprobs);
	}
	m->request->logprobs = true;
	return take_integer(m, 0, ENGINE_TOP_MAX, &m->request->top);
}

static bool take_cache_salt(struct member *m)
{
	if (m->value.type != JSON_TOKEN_STRING) {
		return engine_problem_set(m->problem, "cache_salt", "cache_salt must be a string.");
	}
	for (size_t i = 0; i < m->span.len; i++) {
		m->request->cache_salt =
		        rng_mix_pair(m->request->cache_salt, (uint8_t)m->span.data[i]);
	}
	return true;
}

static bool take_seed(struct member *m)
{
	int64_t seed = 0;
	m->request->sampling.has_seed = take_integer(m, INT64_MIN, INT64_MAX, &seed);
	m->request->sampling.seed = (uint64_t)seed;
	return m->request->sampling.has_seed;
}

static bool add_stop(struct member *m, const struct json_token *t)
{
	struct engine_request *request = m->request;
	if (request->n_stops == ENGINE_STOPS_MAX || t->len > ENGINE_STOP_LENGTH_MAX) {
		return engine_problem_set(m->problem, "stop",
		        "At most %d stop strings of at most %d bytes are allowed.",
		        ENGINE_STOPS_MAX, ENGINE_STOP_LENGTH_MAX);
	}
	struct buf *stop = &request->stops[request->n_stops];
	json_token_unescape(t, stop);
	request->n_stops += stop->len > 0;
	return true;
}

static bool take_stop(struct member *m)
{
	if (m->value.type == JSON_TOKEN_STRING) {
		return add_stop(m, &m->value);
	}
	struct json j;
	struct json_token t = json_begin(&j, m->span);
	while ((t = json_next(&j)).type == JSON_TOKEN_STRING) {
		if (!add_stop(m, &t)) {
			return false;
		}
	}
	return t.type == JSON_TOKEN_ARRAY_END ||
	       engine_problem_set(
	               m->problem, "stop", "stop must be a string or an array of strings.");
}

static bool take_logit_bias(struct member *m)
{
	struct token_sampler_rules *rules = &m->request->sampling;
	if (m->value.type != JSON_TOKEN_OBJECT) {
		return engine_problem_set(
		        m->problem, "logit_bias", "logit_bias must be an object.");
	}
	struct json j;
	struct json_member bias;
	json_begin(&j, m->span);
	uint32_t size = vocabulary_size();
	while (json_next_member(&j, &bias)) {
		char *key = json_token_dup(&bias.key), *end;
		unsigned long id = strtoul(key, &end, 10);
		bool good = *key != '\0' && *end == '\0' && id < size &&
		            rules->n_bias < SAMPLING_BIAS_MAX;
		free(key);
		double x =
		        bias.first.type == JSON_TOKEN_NUMBER ? json_token_number(&bias.first) : NAN;
		if (!good || !(x >= -100 && x <= 100)) {
			return engine_problem_set(m->problem, "logit_bias",
			        "logit_bias must map at most %d token ids below %u to numbers from "
			        "-100 to 100.",
			        SAMPLING_BIAS_MAX, size);
		}
		rules->bias = xrealloc(rules->bias, (rules->n_bias + 1) * sizeof(*rules->bias));
		rules->bias[rules->n_bias++] = (struct language_item){(uint32_t)id, (float)x};
	}
	return true;
}

static bool take_tools(struct member *m)
{
	m->request->tools = m->span;
	return m->value.type == JSON_TOKEN_ARRAY ||
	       engine_problem_set(m->problem, "tools", "tools must be an array.");
}

static bool take_tool_choice(struct member *m)
{
	struct json_token name;
	const char *path[] = {"function", "name"};
	struct engine_request *request = m->request;
	if (json_token_is_string(&m->value, "auto")) {
		request->tool_choice = ENGINE_TOOLS_AUTO;
	} else if (json_token_is_string(&m->value, "none")) {
		request->tool_choice = ENGINE_TOOLS_NONE;
	} else if (json_token_is_string(&m->value, "required")) {
		request->tool_choice = ENGINE_TOOLS_REQUIRED;
	} else if (json_find(m->span, path, 2, &name, NULL) && name.type == JSON_TOKEN_STRING) {
		request->tool_choice = ENGINE_TOOLS_NAMED;
		free(request->tool_named);
		request->tool_named = json_token_dup(&name);
	} else {
		return engine_problem_set(m->problem, "tool_choice",
		        "tool_choice must be none, auto, required or an object that names a "
		        "function.");
	}
	return true;
}

static bool take_response_format(struct member *m)
{
	struct json_token type, schema;
	const char *schema_path[] = {"json_schema", "schema"};
	if (!json_find_member(m->span, "type", &type, NULL) || type.type != JSON_TOKEN_STRING) {
		return engine_problem_set(
		        m->problem, "response_format", "response_format needs a type.");
	}
	m->request->json_object = json_token_is_string(&type, "json_object");
	if (json_token_is_string(&type, "json_schema") &&
	        !json_find(m->span, schema_path, 2, &schema, &m->request->schema)) {
		return engine_problem_set(m->problem, "response_format",
		        "response_format needs a json_schema with a schema.");
	}
	return true;
}

enum kind { KIND_BOOL, KIND_INTEGER, KIND_NUMBER };

#define AT(member) offsetof(struct engine_request, member)

/* A row without `take` sets a member of the request: a bool, an int64_t or a double. */
static const struct {
	const char *name;
	bool (*take)(struct member *m);
	enum kind kind;
	size_t place;
	double min, max;
} MEMBERS[] = {
        {"model", take_model},
        {"messages", take_messages},
        {"prompt", take_prompt},
        {"stream_options", take_stream_options},
        {"logprobs", take_logprobs},
        {"cache_salt", take_cache_salt},
        {"seed", take_seed},
        {"stop", take_stop},
        {"logit_bias", take_logit_bias},
        {"tools", take_tools},
        {"tool_choice", take_tool_choice},
        {"response_format", take_response_format},
        {"stream", NULL, KIND_BOOL, AT(stream)},
        {"ignore_eos", NULL, KIND_BOOL, AT(ignore_eos)},
        {"echo", NULL, KIND_BOOL, AT(echo)},
        {"return_token_ids", NULL, KIND_BOOL, AT(return_token_ids)},
        {"n", NULL, KIND_INTEGER, AT(n), 1, ENGINE_N_MAX},
        {"top_logprobs", NULL, KIND_INTEGER, AT(top), 0, ENGINE_TOP_MAX},
        {"prompt_logprobs", NULL, KIND_INTEGER, AT(prompt_top), 0, ENGINE_TOP_MAX},
        {"max_tokens", NULL, KIND_INTEGER, AT(max_tokens), 0, ENGINE_TOKENS_MAX},
        {"max_completion_tokens", NULL, KIND_INTEGER, AT(max_tokens), 0, ENGINE_TOKENS_MAX},
        {"min_tokens", NULL, KIND_INTEGER, AT(min_tokens), 0, ENGINE_TOKENS_MAX},
        {"top_k", NULL, KIND_INTEGER, AT(sampling.top_k), -1, INT32_MAX},
        {"temperature", NULL, KIND_NUMBER, AT(sampling.temperature), 0, 2},
        {"top_p", NULL, KIND_NUMBER, AT(sampling.top_p), 0, 1},
        {"min_p", NULL, KIND_NUMBER, AT(sampling.min_p), 0, 1},
        {"repetition_penalty", NULL, KIND_NUMBER, AT(sampling.repetition), 0.01, 10},
        {"repeat_penalty", NULL, KIND_NUMBER, AT(sampling.repetition), 0.01, 10},
        {"presence_penalty", NULL, KIND_NUMBER, AT(sampling.presence), -2, 2},
        {"frequency_penalty", NULL, KIND_NUMBER, AT(sampling.frequency), -2, 2},
};

/* Reads one member of the body; ignores unknown ones, and those that are null. False: *ret_problem
 * says why. */
static bool read_member(struct engine_request *request, const struct json_member *member,
        struct engine_problem *ret_problem)
{
	for (size_t i = 0; i < ARRAY_LEN(MEMBERS) && member->first.type != JSON_TOKEN_NULL; i++) {
		if (json_token_is_key(&member->key, MEMBERS[i].name)) {
			struct member m = {request, member->first, member->value, ret_problem,
			        MEMBERS[i].name};
			void *to = (char *)request + MEMBERS[i].place;
			double min = MEMBERS[i].min, max = MEMBERS[i].max;
			return MEMBERS[i].take                ? MEMBERS[i].take(&m)
			       : MEMBERS[i].kind == KIND_BOOL ? take_bool(&m, to)
			       : MEMBERS[i].kind == KIND_NUMBER
			               ? take_number(&m, min, max, to)
			               : take_integer(&m, (int64_t)min, (int64_t)max, to);
		}
	}
	return true;
}

static bool read_body(
        struct engine_request *request, struct span body, struct engine_problem *ret_problem)
{
	struct json j;
	struct json_member m;
	struct json_token t = json_begin(&j, body);
	if (t.type != JSON_TOKEN_OBJECT) {
		return engine_problem_set(ret_problem, NULL, "The body must be a JSON object.");
	}
	/* The first pass validates: no member is used before the whole document is known to be
	 * JSON. */
	json_skip(&j, &t);
	if (json_next(&j).type != JSON_TOKEN_END) {
		return engine_problem_set(ret_problem, NULL,
		        "The body is not JSON: %s at byte %zu.",
		        j.error ? j.error : "trailing bytes", j.error_at);
	}
	json_begin(&j, body);
	while (json_next_member(&j, &m)) {
		if (!read_member(request, &m, ret_problem)) {
			return false;
		}
	}
	return true;
}

static bool check(struct engine_request *request, const struct engine_options *options,
        struct engine_problem *ret_problem)
{
	bool chat = request->endpoint == ENDPOINT_CHAT;
	if (request->model && options->strict_model &&
	        strcmp(request->model, options->model) != 0) {
		engine_problem_set(
		        ret_problem, "model", "The model '%.100s' does not exist.", request->model);
		ret_problem->status = 404;
		return false;
	}
	if (chat && !request->messages.data) {
		return engine_problem_set(ret_problem, "messages", "messages is required.");
	}
	if (!chat && request->n_prompts == 0) {
		return engine_problem_set(ret_problem, "prompt", "prompt is required.");
	}
	if (chat && request->top > 0 && !request->logprobs) {
		return engine_problem_set(
		        ret_problem, "top_logprobs", "top_logprobs needs logprobs to be true.");
	}
	if (request->prompt_top >= 0 && request->stream) {
		return engine_problem_set(ret_problem, "prompt_logprobs",
		        "prompt_logprobs are not available in streams.");
	}
	if (request->max_tokens == 0 && !request->echo) {
		return engine_problem_set(
		        ret_problem, "max_tokens", "max_tokens must be at least 1.");
	}
	if (request->max_tokens < 0) {
		request->max_tokens = chat ? options->default_max_tokens : 16;
	}
	return true;
}

bool engine_request_parse(struct engine_request *request, enum endpoint endpoint, struct span body,
        const struct engine_options *options, struct engine_problem *ret_problem)
{
	*request = (struct engine_request){
	        .endpoint = endpoint,
	        .n = 1,
	        .max_tokens = -1,
	        .prompt_top = -1,
	        .sampling = {.temperature = 1, .top_p = 1, .repetition = 1},
	};
	if (!read_body(request, body, ret_problem) || !check(request, options, ret_problem)) {
		return false;
	}
	if (endpoint == ENDPOINT_COMPLETION) {
		return true;
	}
	request->n_prompts = 1;
	if (!schema_choose(request, ret_problem)) {
		return false;
	}
	request->think = options->reasoning != ENGINE_REASONING_NONE && !request->call_name &&
	                 request->forced.n == 0;
	return chat_template_apply(
	        request->messages, request->think, &request->prompts[0], ret_problem);
}

uint64_t engine_request_hash(const struct engine_request *request)
{
	uint64_t hash = (uint64_t)request->max_tokens << 32 | (uint64_t)request->n << 8 |
	                (request->endpoint == ENDPOINT_COMPLETION);
	for (uint32_t i = 0; i < request->n_prompts; i++) {
		hash = tokens_hash(&request->prompts[i], hash);
	}
	return rng_mix_pair(hash, request->sampling.seed);
}

const struct tokens *engine_request_prompt(const struct engine_request *request, uint32_t choice)
{
	return &request->prompts[choice / (uint32_t)request->n];
}

void engine_request_finish(struct engine_request *request)
{
	free(request->model);
	free(request->tool_named);
	free(request->call_name);
	free(request->sampling.bias);
	tokens_finish(&request->forced);
	for (uint32_t i = 0; i < ENGINE_STOPS_MAX; i++) {
		buf_finish(&request->stops[i]);
	}
	for (uint32_t i = 0; i < ENGINE_PROMPTS_MAX; i++) {
		tokens_finish(&request->prompts[i]);
	}
	*request = (struct engine_request){0};
}
