#include "answers/api/shape.h"

#include "base/ascii.h"
#include "base/json.h"
#include "answers/json_key.h"

/* Members that identify a shape only in combination. */
struct evidence {
	bool content, stop, done, message, response, anthropic;
};

static bool begins_with(const struct json_token *t, const char *prefix)
{
	return t->type == JSON_TOKEN_STRING && span_starts(json_token_raw(t), prefix);
}

/* Checks a "type". Any other member is stronger evidence, as gateways add types of their own. */
static bool is_anthropic(const struct json_token *v)
{
	return json_token_is_string(v, "message") || begins_with(v, "message_") ||
	       begins_with(v, "content_block_");
}

/* Returns the shape that this member identifies by itself. */
static enum reading_shape of_member(const struct json_token *key, const struct json_token *v)
{
	if (KEY_IS(key, "choices")) {
		return SHAPE_OPENAI;
	}
	if ((KEY_IS(key, "type") && begins_with(v, "response.")) ||
	        (KEY_IS(key, "object") && json_token_is_string(v, "response")) ||
	        (KEY_IS(key, "output") && v->type == JSON_TOKEN_ARRAY)) {
		return SHAPE_RESPONSES;
	}
	if ((KEY_IS(key, "embedding") || KEY_IS(key, "embeddings")) &&
	        v->type == JSON_TOKEN_ARRAY) {
		return SHAPE_EMBEDDING;
	}
	if (KEY_IS(key, "completion_probabilities") || KEY_IS(key, "tokens_predicted")) {
		return SHAPE_LLAMA;
	}
	if (KEY_IS(key, "meta_info") && v->type == JSON_TOKEN_OBJECT) {
		return SHAPE_SGLANG;
	}
	if ((KEY_IS(key, "generated_text") && v->type == JSON_TOKEN_STRING) ||
	        (KEY_IS(key, "token") && v->type == JSON_TOKEN_OBJECT)) {
		return SHAPE_TGI;
	}
	return SHAPE_UNKNOWN;
}

/* "data": does its first element hold a vector? */
static bool holds_vectors(struct json j, const struct json_token *first)
{
	struct json_token t;
	if (first->type != JSON_TOKEN_ARRAY || json_next(&j).type != JSON_TOKEN_OBJECT) {
		return false;
	}
	while ((t = json_next(&j)).type == JSON_TOKEN_KEY) {
		struct json_token v = json_next(&j);
		if (KEY_IS(&t, "embedding")) {
			return true;
		}
		json_skip(&j, &v);
	}
	return false;
}

static void collect(
        struct evidence *evidence, const struct json_token *key, const struct json_token *v)
{
	bool is_bool = v->type == JSON_TOKEN_TRUE || v->type == JSON_TOKEN_FALSE;
	evidence->content |= KEY_IS(key, "content") && v->type == JSON_TOKEN_STRING;
	evidence->stop |= KEY_IS(key, "stop") && is_bool;
	evidence->done |= KEY_IS(key, "done") && is_bool;
	evidence->message |= KEY_IS(key, "message") && v->type == JSON_TOKEN_OBJECT;
	evidence->response |= KEY_IS(key, "response") && v->type == JSON_TOKEN_STRING;
	evidence->anthropic |= KEY_IS(key, "type") && is_anthropic(v);
}

enum reading_shape shape_of(struct span text, struct span event_name)
{
	static const char named[] = "response.";
	struct json j;
	struct json_token t;
	struct evidence evidence = {0};
	if (event_name.len >= sizeof(named) - 1 &&
	        memcmp(event_name.data, named, sizeof(named) - 1) == 0) {
		return SHAPE_RESPONSES;
	}
	if (json_begin_lenient(&j, text).type != JSON_TOKEN_OBJECT) {
		return SHAPE_UNKNOWN;
	}
	while ((t = json_next(&j)).type == JSON_TOKEN_KEY) {
		struct json_token v = json_next(&j);
		enum reading_shape shape = of_member(&t, &v);
		if (shape != SHAPE_UNKNOWN) {
			return shape;
		}
		if (KEY_IS(&t, "data") && holds_vectors(j, &v)) {
			return SHAPE_EMBEDDING;
		}
		collect(&evidence, &t, &v);
		if (evidence.content && evidence.stop) {
			return SHAPE_LLAMA;
		}
		if (evidence.done && (evidence.message || evidence.response)) {
			return SHAPE_OLLAMA;
		}
		json_skip(&j, &v);
	}
	return evidence.anthropic ? SHAPE_ANTHROPIC : SHAPE_UNKNOWN;
}

const char *reading_shape_name(enum reading_shape s)
{
	static const char *const names[N_SHAPES] = {
	        [SHAPE_UNKNOWN] = "unknown",
	        [SHAPE_OPENAI] = "openai",
	        [SHAPE_RESPONSES] = "responses",
	        [SHAPE_EMBEDDING] = "embedding",
	        [SHAPE_OLLAMA] = "ollama",
	        [SHAPE_LLAMA] = "llama.cpp",
	        [SHAPE_SGLANG] = "sglang",
	        [SHAPE_TGI] = "tgi",
	        [SHAPE_ANTHROPIC] = "anthropic",
	};
	return s < N_SHAPES ? names[s] : "unknown";
}
