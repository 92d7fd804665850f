#include "backends/engine/ask_member.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/rng.h"

/* One member of the request being read: its key's name and its value's first token. */
struct member {
	struct ask *ask;
	struct json_token value;
	struct span span;
	struct ask_problem *problem;
	const char *name;
};

static bool take_bool(struct member *m, bool *ret)
{
	if (m->value.type == JSON_TRUE || m->value.type == JSON_FALSE) {
		*ret = m->value.type == JSON_TRUE;
		return true;
	}
	return m->value.type == JSON_NULL ||
	       ask_fail(m->problem, 400, m->name, "%s must be a boolean.", m->name);
}

static bool take_integer(struct member *m, int64_t min, int64_t max, int64_t *ret)
{
	int64_t x;
	if (m->value.type == JSON_NULL) {
		return true;
	}
	if (m->value.type != JSON_NUMBER || !json_integer(&m->value, &x)) {
		return ask_fail(m->problem, 400, m->name, "%s must be an integer.", m->name);
	}
	if (x < min || x > max) {
		return ask_fail(m->problem, 400, m->name,
		        "%s must be between %lld and %lld, not %lld.", m->name, (long long)min,
		        (long long)max, (long long)x);
	}
	*ret = x;
	return true;
}

static bool take_number(struct member *m, double min, double max, double *ret)
{
	if (m->value.type == JSON_NULL) {
		return true;
	}
	double x = m->value.type == JSON_NUMBER ? json_number(&m->value) : NAN;
	if (isnan(x)) {
		return ask_fail(m->problem, 400, m->name, "%s must be a number.", m->name);
	}
	if (x < min || x > max) {
		return ask_fail(m->problem, 400, m->name, "%s must be between %g and %g, not %g.",
		        m->name, min, max, x);
	}
	*ret = x;
	return true;
}

static bool take_model(struct member *m)
{
	if (m->value.type != JSON_STRING) {
		return ask_fail(m->problem, 400, "model", "model must be a string.");
	}
	free(m->ask->model);
	m->ask->model = json_dup(&m->value);
	return true;
}

static bool take_messages(struct member *m)
{
	m->ask->messages = m->span;
	return true;
}

static bool take_prompt(struct member *m)
{
	return ask_prompt(m->ask, m->span, m->problem);
}

static bool take_stream_options(struct member *m)
{
	struct json_token t;
	if (m->value.type == JSON_NULL) {
		return true;
	}
	if (m->value.type != JSON_OBJECT) {
		return ask_fail(
		        m->problem, 400, "stream_options", "stream_options must be an object.");
	}
	m->ask->include_usage =
	        json_find_member(m->span, "include_usage", &t, NULL) && t.type == JSON_TRUE;
	return true;
}

static bool take_logprobs(struct member *m)
{
	if (m->ask->endpoint == ASK_CHAT) {
		return take_bool(m, &m->ask->logprobs);
	}
	int64_t top = -1;
	if (!take_integer(m, 0, ASK_TOP_MAX, &top)) {
		return false;
	}
	if (top >= 0) {
		m->ask->logprobs = true;
		m->ask->top = (int)top;
	}
	return true;
}

static bool take_top_logprobs(struct member *m)
{
	int64_t top = 0;
	if (!take_integer(m, 0, ASK_TOP_MAX, &top)) {
		return false;
	}
	m->ask->top = (int)top;
	return true;
}

static bool take_prompt_logprobs(struct member *m)
{
	int64_t top = -1;
	if (!take_integer(m, 0, ASK_TOP_MAX, &top)) {
		return false;
	}
	m->ask->prompt_top = (int)top;
	return true;
}

static bool take_cache_salt(struct member *m)
{
	if (m->value.type == JSON_NULL) {
		return true;
	}
	if (m->value.type != JSON_STRING) {
		return ask_fail(m->problem, 400, "cache_salt", "cache_salt must be a string.");
	}
	for (size_t i = 0; i < m->span.len; i++) {
		m->ask->cache_salt = rng_mix_pair(m->ask->cache_salt, (uint8_t)m->span.data[i]);
	}
	return true;
}

static bool take_seed(struct member *m)
{
	int64_t seed = 0;
	if (m->value.type == JSON_NULL) {
		return true;
	}
	if (!take_integer(m, INT64_MIN, INT64_MAX, &seed)) {
		return false;
	}
	m->ask->sampling.seed = (uint64_t)seed;
	m->ask->sampling.has_seed = true;
	return true;
}

static bool add_stop(struct member *m, const struct json_token *t)
{
	struct ask *ask = m->ask;
	if (ask->n_stops == ASK_STOPS_MAX || t->len > ASK_STOP_LENGTH_MAX) {
		return ask_fail(m->problem, 400, "stop",
		        "At most %d stop strings of at most %d bytes are allowed.", ASK_STOPS_MAX,
		        ASK_STOP_LENGTH_MAX);
	}
	struct buf *stop = &ask->stops[ask->n_stops];
	json_unescape(t, stop);
	ask->n_stops += stop->len > 0;
	return true;
}

static bool take_stop(struct member *m)
{
	if (m->value.type == JSON_STRING) {
		return add_stop(m, &m->value);
	}
	if (m->value.type != JSON_ARRAY) {
		return m->value.type == JSON_NULL ||
		       ask_fail(m->problem, 400, "stop",
		               "stop must be a string or an array of strings.");
	}
	struct json j;
	struct json_token t = json_begin(&j, m->span);
	while ((t = json_next(&j)).type == JSON_STRING) {
		if (!add_stop(m, &t)) {
			return false;
		}
	}
	return t.type == JSON_ARRAY_END ||
	       ask_fail(m->problem, 400, "stop", "stop must be a string or an array of strings.");
}

static bool take_logit_bias(struct member *m)
{
	struct token_sampler_rules *how = &m->ask->sampling;
	if (m->value.type != JSON_OBJECT) {
		return m->value.type == JSON_NULL ||
		       ask_fail(m->problem, 400, "logit_bias", "logit_bias must be an object.");
	}
	struct json j;
	struct json_token t = json_begin(&j, m->span);
	uint32_t size = vocabulary_size(vocabulary_get());
	while ((t = json_next(&j)).type == JSON_KEY) {
		char *key = json_dup(&t), *end;
		unsigned long id = strtoul(key, &end, 10);
		bool good = *key != '\0' && *end == '\0' && id < size &&
		            how->n_bias < SAMPLING_BIAS_MAX;
		free(key);
		struct json_token value = json_next(&j);
		double bias = value.type == JSON_NUMBER ? json_number(&value) : NAN;
		if (!good || !(bias >= -100 && bias <= 100)) {
			return ask_fail(m->problem, 400, "logit_bias",
			        "logit_bias must map at most %d token ids below %u to numbers from "
			        "-100 to 100.",
			        SAMPLING_BIAS_MAX, size);
		}
		how->bias = xrealloc(how->bias, (how->n_bias + 1) * sizeof(*how->bias));
		how->bias[how->n_bias++] = (struct language_item){(uint32_t)id, (float)bias};
	}
	return true;
}

static bool take_tools(struct member *m)
{
	if (m->value.type != JSON_ARRAY && m->value.type != JSON_NULL) {
		return ask_fail(m->problem, 400, "tools", "tools must be an array.");
	}
	m->ask->tools = m->value.type == JSON_ARRAY ? m->span : (struct span){0};
	return true;
}

static bool take_tool_choice(struct member *m)
{
	struct json_token name;
	const char *path[] = {"function", "name"};
	struct ask *ask = m->ask;
	if (m->value.type == JSON_NULL || json_is_string(&m->value, "auto")) {
		ask->tool_choice = ASK_TOOLS_AUTO;
	} else if (json_is_string(&m->value, "none")) {
		ask->tool_choice = ASK_TOOLS_NONE;
	} else if (json_is_string(&m->value, "required")) {
		ask->tool_choice = ASK_TOOLS_REQUIRED;
	} else if (json_find(m->span, path, 2, &name, NULL) && name.type == JSON_STRING) {
		ask->tool_choice = ASK_TOOLS_NAMED;
		free(ask->tool_named);
		ask->tool_named = json_dup(&name);
	} else {
		return ask_fail(m->problem, 400, "tool_choice",
		        "tool_choice must be none, auto, required or an object that names a "
		        "function.");
	}
	return true;
}

static bool take_response_format(struct member *m)
{
	struct json_token type, schema;
	const char *schema_path[] = {"json_schema", "schema"};
	if (m->value.type == JSON_NULL) {
		return true;
	}
	if (!json_find_member(m->span, "type", &type, NULL) || type.type != JSON_STRING) {
		return ask_fail(
		        m->problem, 400, "response_format", "response_format needs a type.");
	}
	m->ask->json_object = json_is_string(&type, "json_object");
	if (json_is_string(&type, "json_schema") &&
	        !json_find(m->span, schema_path, 2, &schema, &m->ask->schema)) {
		return ask_fail(m->problem, 400, "response_format",
		        "response_format needs a json_schema with a schema.");
	}
	return true;
}

/* A member of the ask with a value of the kind that `take` reads; without it, `kind` says which. */
enum kind { KIND_BOOL, KIND_INTEGER, KIND_NUMBER };

static const struct {
	const char *name;
	bool (*take)(struct member *m);
	enum kind kind;
	size_t offset;
	double min, max;
} MEMBERS[] = {
#define TAKEN(name, take)                                                                          \
	{                                                                                          \
		name, take, 0, 0, 0, 0                                                             \
	}
#define BOOL(name, member)                                                                         \
	{                                                                                          \
		name, NULL, KIND_BOOL, offsetof(struct ask, member), 0, 0                          \
	}
#define INTEGER(name, member, min, max)                                                            \
	{                                                                                          \
		name, NULL, KIND_INTEGER, offsetof(struct ask, member), min, max                   \
	}
#define NUMBER(name, member, min, max)                                                             \
	{                                                                                          \
		name, NULL, KIND_NUMBER, offsetof(struct ask, member), min, max                    \
	}
        TAKEN("model", take_model),
        TAKEN("messages", take_messages),
        TAKEN("prompt", take_prompt),
        BOOL("stream", stream),
        TAKEN("stream_options", take_stream_options),
        TAKEN("logprobs", take_logprobs),
        TAKEN("top_logprobs", take_top_logprobs),
        INTEGER("n", n, 1, ASK_N_MAX),
        INTEGER("max_tokens", max_tokens, 0, ASK_TOKENS_MAX),
        INTEGER("max_completion_tokens", max_tokens, 0, ASK_TOKENS_MAX),
        INTEGER("min_tokens", min_tokens, 0, ASK_TOKENS_MAX),
        BOOL("ignore_eos", ignore_eos),
        BOOL("echo", echo),
        TAKEN("prompt_logprobs", take_prompt_logprobs),
        BOOL("return_token_ids", return_token_ids),
        TAKEN("cache_salt", take_cache_salt),
        NUMBER("temperature", sampling.temperature, 0, 2),
        NUMBER("top_p", sampling.top_p, 0, 1),
        NUMBER("min_p", sampling.min_p, 0, 1),
        INTEGER("top_k", sampling.top_k, -1, INT32_MAX),
        NUMBER("repetition_penalty", sampling.repetition, 0.01, 10),
        NUMBER("repeat_penalty", sampling.repetition, 0.01, 10),
        NUMBER("presence_penalty", sampling.presence, -2, 2),
        NUMBER("frequency_penalty", sampling.frequency, -2, 2),
        TAKEN("seed", take_seed),
        TAKEN("stop", take_stop),
        TAKEN("logit_bias", take_logit_bias),
        TAKEN("tools", take_tools),
        TAKEN("tool_choice", take_tool_choice),
        TAKEN("response_format", take_response_format),
#undef TAKEN
#undef BOOL
#undef INTEGER
#undef NUMBER
};

bool ask_member_read(struct ask *ask, const struct json_token *key, const struct json_token *value,
        struct span text, struct ask_problem *ret_problem)
{
	for (size_t i = 0; i < ARRAY_LEN(MEMBERS); i++) {
		if (json_is_key(key, MEMBERS[i].name)) {
			struct member m = {ask, *value, text, ret_problem, MEMBERS[i].name};
			void *to = (char *)ask + MEMBERS[i].offset;
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
