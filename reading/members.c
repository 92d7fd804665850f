#include "reading/members.h"

#include <string.h>

#include "base/letters.h"
#include "reading/keys.h"

#define IN(place) (1u << MEMBER_OF_##place)
#define IN_MESSAGE (IN(MESSAGE) | IN(PART) | IN(THOUGHT) | IN(ITEM))
#define ANYWHERE (~0u)

struct known {
	const char *name;
	size_t len;
	unsigned in;
};

#define KNOWN(name, in)                                                                            \
	{                                                                                          \
		name, sizeof(name) - 1, in                                                         \
	}

/* What comes with every event is at the top. */
static const struct known without_content[] = {
        KNOWN("index", ANYWHERE), KNOWN("role", IN_MESSAGE), KNOWN("type", ANYWHERE),
        KNOWN("id", ANYWHERE), KNOWN("sequence_number", IN(EVENT)), KNOWN("item_id", IN(EVENT)),
        KNOWN("output_index", IN(EVENT)), KNOWN("content_index", IN(EVENT)),
        KNOWN("summary_index", IN(EVENT)), KNOWN("obfuscation", ANYWHERE),
        /* Who is meant, and what state it is in. */
        KNOWN("object", ANYWHERE), KNOWN("model", ANYWHERE), KNOWN("status", ANYWHERE),
        KNOWN("created", ANYWHERE), KNOWN("created_at", ANYWHERE), KNOWN("name", IN_MESSAGE),
        KNOWN("namespace", IN_MESSAGE), KNOWN("phase", IN_MESSAGE), KNOWN("channel", IN_MESSAGE),
        KNOWN("recipient", IN_MESSAGE), KNOWN("format", IN_MESSAGE), KNOWN("call_id", IN_MESSAGE),
        KNOWN("tool_call_id", IN_MESSAGE), KNOWN("tool_name", IN_MESSAGE),
        KNOWN("created_by", IN_MESSAGE), KNOWN("prefix", IN_MESSAGE), KNOWN("partial", IN_MESSAGE),
        KNOWN("closed", IN_MESSAGE), KNOWN("strict", IN(CALL)),
        KNOWN("cache_control", IN_MESSAGE | IN(CALL)),
        /* How it ended. */
        KNOWN("finish_reason", ANYWHERE), KNOWN("native_finish_reason", ANYWHERE),
        KNOWN("finish_details", ANYWHERE), KNOWN("end_turn", IN(MESSAGE)),
        KNOWN("stop_reason", ANYWHERE), KNOWN("stop_sequence", ANYWHERE),
        KNOWN("stopping_word", IN(NATIVE)), KNOWN("matched_stop", ANYWHERE),
        /* What was measured. */
        KNOWN("usage", ANYWHERE), KNOWN("logprobs", ANYWHERE), KNOWN("token_ids", ANYWHERE),
        KNOWN("output_ids", ANYWHERE), KNOWN("prompt_token_ids", ANYWHERE),
        KNOWN("prompt_logprobs", ANYWHERE), KNOWN("gen_tokens", ANYWHERE),
        KNOWN("hidden_states", ANYWHERE), KNOWN("routed_experts", ANYWHERE),
        KNOWN("prompt_routed_experts", ANYWHERE), KNOWN("context_logits", ANYWHERE),
        KNOWN("text_offset", IN(CHOICE)), KNOWN("timings", ANYWHERE), KNOWN("metrics", ANYWHERE),
        KNOWN("meta_info", ANYWHERE), KNOWN("metadata", IN(CHOICE) | IN(NATIVE)),
        KNOWN("weight_version", ANYWHERE), KNOWN("sglext", ANYWHERE), KNOWN("nvext", ANYWHERE),
        KNOWN("kv_transfer_params", ANYWHERE), KNOWN("disaggregated_params", ANYWHERE),
        KNOWN("mm_embedding_handle", IN(CHOICE)), KNOWN("avg_decoded_tokens_per_iter", ANYWHERE),
        KNOWN("generation_settings", IN(NATIVE)), KNOWN("prompt_progress", IN(NATIVE)),
        KNOWN("__verbose", IN(NATIVE)), KNOWN("_debug_info", IN(NATIVE)),
        KNOWN("error_type", IN(NATIVE)), KNOWN("remote_model", IN(NATIVE)),
        KNOWN("remote_host", IN(NATIVE)),
        /* The request again. */
        KNOWN("prompt", IN(NATIVE)),
        KNOWN("context", IN(NATIVE)), /* Ollama's: the conversation as token ids */
        KNOWN("input", IN(ANSWER)), KNOWN("input_messages", IN(ANSWER)),
        KNOWN("instructions", IN(ANSWER)), KNOWN("include", IN(ANSWER)), KNOWN("tools", IN(ANSWER)),
        /* The output again. */
        KNOWN("output_messages", IN(ANSWER)),
        /* What a filter thinks of it. */
        KNOWN("prompt_filter_results", IN(ANSWER)), KNOWN("prompt_annotations", IN(ANSWER)),
        KNOWN("content_filter_results", ANYWHERE), KNOWN("content_filter_result", ANYWHERE),
        KNOWN("content_filter_offsets", ANYWHERE), KNOWN("content_filters", ANYWHERE),
        /* Reasoning that nobody but the engine can read. */
        KNOWN("signature", IN_MESSAGE | IN(CALL)), KNOWN("thinking_signature", IN_MESSAGE),
        KNOWN("reasoning_signature", IN_MESSAGE), KNOWN("thought_signature", IN_MESSAGE | IN(CALL)),
        KNOWN("reasoning_opaque", IN_MESSAGE), KNOWN("encrypted_content", IN_MESSAGE),
        KNOWN("data", IN(THOUGHT)), KNOWN("effort", IN(THOUGHT)),
        KNOWN("extra_content", IN(MESSAGE) | IN(CALL)), /* Gemini's signatures */
};

static bool is_without_content(enum member_place place, const struct json_token *key)
{
	for (size_t i = 0; i < ARRAY_LEN(without_content); i++) {
		const struct known *k = &without_content[i];
		if (k->in & 1u << place && key_is_bytes(key, k->name, k->len)) {
			return true;
		}
	}
	return false;
}

/* Is there a text, a number or "true" in it? */
static bool has_value(struct span value)
{
	struct json j;
	struct json_token t;
	json_init_lenient(&j, value.data, value.len);
	while ((t = json_next(&j)).type != JSON_END && t.type != JSON_ERROR) {
		if ((t.type == JSON_STRING && t.len > 2) || t.type == JSON_NUMBER ||
		        t.type == JSON_TRUE) {
			return true;
		}
	}
	return false;
}

/* Can a value of this type be content there? */
static bool can_be_content(enum member_place place, enum json_type type)
{
	bool is_nested = type == JSON_OBJECT || type == JSON_ARRAY;
	switch (place) {
	case MEMBER_OF_ANSWER:
		return type == JSON_ARRAY;
	case MEMBER_OF_NATIVE:
	case MEMBER_OF_CHOICE:
		return is_nested || type == JSON_STRING;
	default:
		return is_nested || type == JSON_STRING || type == JSON_NUMBER || type == JSON_TRUE;
	}
}

static const char *prefix_of(enum member_place place)
{
	switch (place) {
	case MEMBER_OF_CHOICE:
		return "choice.";
	case MEMBER_OF_MESSAGE:
		return "message.";
	case MEMBER_OF_CALL:
		return "tool_call.";
	case MEMBER_OF_PART:
		return "content.";
	case MEMBER_OF_THOUGHT:
		return "reasoning.";
	case MEMBER_OF_ITEM:
		return "output.";
	case MEMBER_OF_ANSWER:
	case MEMBER_OF_NATIVE:
	case MEMBER_OF_EVENT:
		break;
	}
	return "";
}

static bool is_listed(struct buf *list, struct span name)
{
	const char *at = list->len ? buf_cstr(list) : NULL;
	struct span known;
	while ((known = reading_next_unknown(&at)).len) {
		if (span_equal(known, name)) {
			return true;
		}
	}
	return false;
}

/* Names stand in a list with spaces between them, so that other characters have a stand-in. */
void members_unknown(struct draft *d, enum member_place place, struct span type)
{
	char name[READING_UNKNOWN_NAME];
	size_t n = strlen(prefix_of(place));
	memcpy(name, prefix_of(place), n);
	for (size_t i = 0; i < type.len && n < sizeof(name); i++) {
		bool plain =
		        is_alnum(type.data[i]) || (type.data[i] && strchr("_-./:", type.data[i]));
		name[n++] = plain ? type.data[i] : '?';
	}
	d->marks |= READING_UNKNOWN_MEMBERS;
	if (d->n_unknown == READING_UNKNOWN_LIMIT ||
	        is_listed(&d->unknown, (struct span){name, n})) {
		return;
	}
	if (d->n_unknown++) {
		buf_append_char(&d->unknown, ' ');
	}
	buf_append(&d->unknown, name, n);
}

void members_pass(struct draft *d, enum member_place place, struct json *j,
        const struct json_token *key, const struct json_token *first)
{
	struct span value = json_skip(j, first);
	if (can_be_content(place, first->type) && !is_without_content(place, key) &&
	        has_value(value)) {
		members_unknown(d, place, json_raw(key));
	}
}

void members_unread(struct draft *d, enum member_place place, const char *name, struct span value)
{
	if (has_value(value)) {
		members_unknown(d, place, span_of(name));
	}
}

void members_event(struct draft *d, struct span text, struct span type)
{
	struct json j;
	struct json_token t;
	json_init_lenient(&j, text.data, text.len);
	json_next(&j);
	while ((t = json_next(&j)).type == JSON_KEY) {
		struct json_token v = json_next(&j);
		struct span value = json_skip(&j, &v);
		if (can_be_content(MEMBER_OF_EVENT, v.type) &&
		        !is_without_content(MEMBER_OF_EVENT, &t) && has_value(value)) {
			members_unknown(d, MEMBER_OF_EVENT, type);
			return;
		}
	}
}
