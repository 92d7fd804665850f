#include "answers/api/documents.h"

#include <stdlib.h>

#include "answers/api/embedding.h"
#include "answers/api/failure.h"
#include "answers/members.h"
#include "answers/api/native.h"
#include "answers/api/openai.h"
#include "answers/api/responses.h"
#include "answers/reading.h"
#include "base/ascii.h"
#include "base/json.h"
#include "answers/json_key.h"

/* The shape of a document, recognised by its members. */

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

/* Reads top-level keys until one shows the shape. SHAPE_UNKNOWN: none does (for example, the
 * document has only an error), or the text is not JSON. event_name: of a stream's event, or
 * empty. */
static enum reading_shape shape_of(struct span text, struct span event_name)
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

/* Reading. */

/* Reads a document of a dialect that is stored as bytes only: nothing but its errors is parsed. */
static bool read_error_alone(struct draft *d, struct span text, const struct document *doc)
{
	struct json j;
	struct json_token t;
	struct failure failure = {.has_answer = true};
	if (json_begin_lenient(&j, text).type != JSON_TOKEN_OBJECT) {
		return false;
	}
	d->fits = true;
	while ((t = json_next(&j)).type == JSON_TOKEN_KEY) {
		struct json_token v = json_next(&j);
		if (!failure_read_member(d, &failure, &j, &t, &v)) {
			json_skip(&j, &v);
		}
	}
	failure_decide(d, &failure, text, doc->is_error);
	return t.type == JSON_TOKEN_OBJECT_END && json_next(&j).type == JSON_TOKEN_END;
}

static bool read_as(struct draft *d, struct span text, const struct document *doc)
{
	switch (d->shape) {
	case SHAPE_RESPONSES:
		return responses_read(d, text, doc->event_name, doc->is_error);
	case SHAPE_EMBEDDING:
		return embedding_read(d, text);
	case SHAPE_OLLAMA:
		return ollama_read(d, text, doc->is_error);
	case SHAPE_LLAMA:
		return llama_read(d, text, doc->is_error);
	case SHAPE_SGLANG:
		return sglang_read(d, text, doc->is_error);
	case SHAPE_TGI:
		return tgi_read(d, text, doc->is_error);
	case SHAPE_ANTHROPIC:
		d->marks |= READING_NOT_READ;
		return read_error_alone(d, text, doc);
	default:
		return openai_read(d, text, doc->is_error);
	}
}

static bool read_one(struct draft *d, struct span text, const struct document *doc)
{
	if (d->shape == SHAPE_UNKNOWN) {
		d->shape = shape_of(text, doc->event_name);
	}
	d->fits = false;
	d->may_repeat = false;
	size_t n_unknown = d->n_unknown, unknown_len = d->unknown.len;
	bool whole = read_as(d, text, doc);
	if (d->fits || d->shape == SHAPE_UNKNOWN) {
		return whole;
	}
	enum reading_shape shape = shape_of(text, doc->event_name);
	if (shape == SHAPE_UNKNOWN || shape == d->shape) {
		return whole;
	}
	d->shape = shape;
	members_drop(d, n_unknown, unknown_len);
	return read_as(d, text, doc);
}

/* False: the document is not a well-formed list of objects. */
static bool read_list(struct draft *d, const struct document *doc)
{
	struct json j;
	struct json_token t;
	bool whole = true;
	json_begin_lenient(&j, doc->text);
	while ((t = json_next(&j)).type == JSON_TOKEN_OBJECT) {
		struct json begin = j;
		struct span text = json_skip(&j, &t);
		if (text.len == 0) { /* truncated: reads the part that exists */
			text = (struct span){t.start, (size_t)(begin.end - t.start)};
			whole = false;
		}
		whole &= read_one(d, text, doc);
		d->position++;
	}
	d->position = 0;
	return whole && t.type == JSON_TOKEN_ARRAY_END && json_next(&j).type == JSON_TOKEN_END;
}

/*
 * A document that is not JSON may still be an error's text. transformers puts such a text in quotes
 * without escaping it, so that the JSON reader sees only a part of it.
 */
void document_read(struct draft *d, const struct document *doc)
{
	bool had_error = d->error;
	bool is_list = doc->text.len && *doc->text.data == '[';
	if (is_list ? read_list(d, doc) : read_one(d, doc->text, doc)) {
		return;
	}
	d->marks |= READING_NOT_JSON;
	if (doc->raw.len && (doc->is_error || (d->error && !had_error))) {
		if (!had_error) {
			free(d->error);
			d->error = NULL;
		}
		draft_set_error(d, doc->raw);
	}
}
