#include "answers/api/documents.h"

#include <stdlib.h>

#include "answers/api/embedding.h"
#include "answers/api/failure.h"
#include "answers/members.h"
#include "answers/api/native.h"
#include "answers/api/openai.h"
#include "answers/api/responses.h"
#include "answers/api/shape.h"

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
