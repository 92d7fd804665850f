#include "answers/members.h"

#include <string.h>

#include "answers/json_key.h"
#include "base/enum_names.h"
#include "base/ascii.h"

#define IN(place) (1u << MEMBER_OF_##place)
#define IN_TOP (IN(ANSWER) | IN(RESPONSE) | IN(NATIVE))
#define IN_SCORES (IN(META) | IN(DETAILS))
#define IN_MESSAGE (IN(MESSAGE) | IN(PART) | IN(THOUGHT) | IN(ITEM))
#define ANYWHERE (~(COPY | INNER))
#define COPY (1u << 31)  /* repeats the output */
#define INNER (1u << 30) /* holds content if there is any text in it under an unknown name */

struct known {
	const char *name;
	size_t len;
	unsigned in;
};

#define KNOWN(name, in)                                                                            \
	{                                                                                          \
		name, sizeof(name) - 1, in                                                         \
	}

/* Members of every event come first. */
static const struct known without_content[] = {
        KNOWN("index", ANYWHERE), KNOWN("role", IN_MESSAGE), KNOWN("type", ANYWHERE),
        KNOWN("id", ANYWHERE), KNOWN("sequence_number", IN(EVENT) | IN(ANSWER)),
        KNOWN("item_id", IN(EVENT)), KNOWN("output_index", IN(EVENT)),
        KNOWN("content_index", IN(EVENT)), KNOWN("summary_index", IN(EVENT)),
        KNOWN("obfuscation", ANYWHERE), KNOWN("object", ANYWHERE), KNOWN("model", ANYWHERE),
        KNOWN("created", ANYWHERE), KNOWN("created_at", ANYWHERE),
        KNOWN("system_fingerprint", IN_TOP), KNOWN("service_tier", IN_TOP),
        KNOWN("provider", IN_TOP | IN(CHOICE)), KNOWN("response_id", IN(EVENT)),
        KNOWN("event_id", IN(EVENT)),
        /* Roles, names and states. */
        KNOWN("status", ANYWHERE), KNOWN("name", IN_MESSAGE),
        KNOWN("namespace", IN(MESSAGE) | IN(PART) | IN(THOUGHT)), KNOWN("phase", IN_MESSAGE),
        KNOWN("channel", IN_MESSAGE), KNOWN("recipient", IN_MESSAGE), KNOWN("format", IN_MESSAGE),
        KNOWN("call_id", IN_MESSAGE), KNOWN("tool_call_id", IN_MESSAGE),
        KNOWN("tool_name", IN_MESSAGE), KNOWN("created_by", IN_MESSAGE),
        KNOWN("prefix", IN_MESSAGE), KNOWN("partial", IN_MESSAGE), KNOWN("closed", IN_MESSAGE),
        KNOWN("strict", IN(CALL)), KNOWN("cache_control", IN_MESSAGE | IN(CALL)),
        /* How the answer ended. */
        KNOWN("finish_reason", ANYWHERE), KNOWN("native_finish_reason", ANYWHERE),
        KNOWN("finish_details", ANYWHERE), KNOWN("end_turn", IN(MESSAGE)),
        KNOWN("stop_reason", ANYWHERE), KNOWN("stop_sequence", ANYWHERE),
        KNOWN("stopping_word", IN(NATIVE)), KNOWN("matched_stop", ANYWHERE),
        /* Measurements. */
        KNOWN("usage", ANYWHERE), KNOWN("logprobs", ANYWHERE), KNOWN("token_ids", ANYWHERE),
        KNOWN("token_id", IN(CHOICE) | IN(MESSAGE)), /* Together's, of each delta */
        KNOWN("token", IN(ANSWER)),                  /* Together's, of each event */
        KNOWN("output_ids", ANYWHERE), KNOWN("prompt_token_ids", ANYWHERE),
        KNOWN("prompt_logprobs", ANYWHERE), KNOWN("gen_tokens", ANYWHERE),
        KNOWN("hidden_states", ANYWHERE), KNOWN("routed_experts", ANYWHERE),
        KNOWN("prompt_routed_experts", ANYWHERE), KNOWN("context_logits", ANYWHERE),
        KNOWN("text_offset", IN(CHOICE)), KNOWN("timings", ANYWHERE), KNOWN("metrics", ANYWHERE),
        KNOWN("meta_info", ANYWHERE), KNOWN("metadata", IN(RESPONSE)),
        KNOWN("weight_version", ANYWHERE), KNOWN("sglext", ANYWHERE), KNOWN("nvext", ANYWHERE),
        KNOWN("kv_transfer_params", ANYWHERE), KNOWN("disaggregated_params", ANYWHERE),
        KNOWN("mm_embedding_handle", IN(CHOICE)), KNOWN("avg_decoded_tokens_per_iter", ANYWHERE),
        KNOWN("generation_settings", IN_TOP), KNOWN("prompt_progress", IN_TOP),
        KNOWN("__verbose", IN_TOP), KNOWN("_debug_info", IN_TOP), KNOWN("error_type", IN_TOP),
        KNOWN("remote_model", IN_TOP), KNOWN("remote_host", IN_TOP), KNOWN("runtime", IN_TOP),
        KNOWN("completion_probabilities", ANYWHERE), KNOWN("reasoning_logprobs", IN(CHOICE)),
        KNOWN("stats", IN_TOP), KNOWN("model_info", IN_TOP), KNOWN("perf_metrics", ANYWHERE),
        KNOWN("time_info", IN_TOP), KNOWN("usage_breakdown", IN_TOP), KNOWN("cost", IN_TOP),
        KNOWN("ec_transfer_params", ANYWHERE), KNOWN("seed", IN_TOP | IN_SCORES | IN(CHOICE)),
        KNOWN("id_slot", IN_TOP), KNOWN("slot_id", IN_TOP), KNOWN("has_new_line", IN(NATIVE)),
        KNOWN("truncated", IN(NATIVE)), KNOWN("multimodal", IN(NATIVE)),
        KNOWN("tokens_predicted", IN(NATIVE)), KNOWN("tokens_evaluated", IN(NATIVE)),
        KNOWN("tokens_cached", IN(NATIVE)), KNOWN("cached_tokens_details", IN(META)),
        KNOWN("input_token_ids_logprobs", IN(META)), KNOWN("output_token_ids_logprobs", IN(META)),
        KNOWN("total_retractions", IN(META)), KNOWN("num_retractions", IN(META)),
        KNOWN("dp_rank", IN(META)), KNOWN("priority", IN(META) | IN(RESPONSE)),
        /* Gateways, and how they forwarded the request. */
        KNOWN("imported", IN_TOP), /* plumbline's own: the file that the answer was imported from */
        KNOWN("user_id", IN_TOP), KNOWN("request_id", IN_TOP), KNOWN("requestId", IN_TOP),
        KNOWN("trace_id", IN_TOP), KNOWN("generationId", IN_TOP), KNOWN("generation_id", IN_TOP),
        KNOWN("x_groq", IN_TOP), KNOWN("code", IN_TOP), KNOWN("error_code", IN_TOP),
        KNOWN("base_resp", IN_TOP), KNOWN("amazon-bedrock-guardrailAction", IN_TOP),
        KNOWN("amazon-bedrock-trace", IN_TOP),
        /* Foundry Local's */
        KNOWN("CreatedAt", IN(ANSWER)), KNOWN("Successful", IN(ANSWER)),
        KNOWN("HttpStatusCode", IN(ANSWER)), KNOWN("IsDelta", IN(ANSWER)),
        KNOWN("warnings", IN_TOP),
        /* The request, repeated. */
        KNOWN("prompt", IN_TOP), KNOWN("prompt_text", IN_TOP | IN(CHOICE)),
        KNOWN("context", IN(NATIVE)), /* Ollama's: the conversation as token ids */
        KNOWN("input", IN(RESPONSE)), KNOWN("input_messages", IN(RESPONSE)),
        KNOWN("instructions", IN(RESPONSE)), KNOWN("include", IN(RESPONSE)),
        KNOWN("tools", IN(RESPONSE)), KNOWN("tool_choice", IN(RESPONSE)),
        KNOWN("parallel_tool_calls", IN(RESPONSE)), KNOWN("max_tool_calls", IN(RESPONSE)),
        KNOWN("max_output_tokens", IN(RESPONSE)), KNOWN("text", IN(RESPONSE)), /* its format */
        KNOWN("reasoning", IN(RESPONSE)), KNOWN("temperature", IN(RESPONSE)),
        KNOWN("top_p", IN(RESPONSE)), KNOWN("top_k", IN(RESPONSE)), KNOWN("min_p", IN(RESPONSE)),
        KNOWN("top_logprobs", IN(RESPONSE)), KNOWN("frequency_penalty", IN(RESPONSE)),
        KNOWN("presence_penalty", IN(RESPONSE)), KNOWN("repetition_penalty", IN(RESPONSE)),
        KNOWN("truncation", IN(RESPONSE)), KNOWN("background", IN(RESPONSE)),
        KNOWN("store", IN(RESPONSE)), KNOWN("user", IN(RESPONSE)),
        KNOWN("safety_identifier", IN(RESPONSE)), KNOWN("prompt_cache_key", IN(RESPONSE)),
        KNOWN("prompt_cache_retention", IN(RESPONSE)), KNOWN("conversation", IN(RESPONSE)),
        KNOWN("previous_response_id", IN(RESPONSE)), KNOWN("billing", IN(RESPONSE)),
        /* The output, repeated. */
        KNOWN("output_messages", COPY | IN(RESPONSE)), KNOWN("raw_output", COPY | IN(CHOICE)),
        KNOWN("parsed", COPY | IN(MESSAGE) | IN(PART)),
        KNOWN("parsed_arguments", IN(CALL) | IN(ITEM)),
        /* Results of content filters. */
        KNOWN("prompt_filter_results", IN_TOP), KNOWN("prompt_annotations", IN_TOP),
        KNOWN("content_filter_raw", IN(CHOICE)), KNOWN("moderation_hit_type", IN(CHOICE)),
        KNOWN("moderation", IN_TOP), KNOWN("safety_buffering", IN_TOP | IN(EVENT)),
        KNOWN("input_sensitive", IN_TOP), KNOWN("output_sensitive", IN_TOP),
        KNOWN("input_sensitive_type", IN_TOP), KNOWN("output_sensitive_type", IN_TOP),
        KNOWN("hook_results", IN_TOP), KNOWN("content_filter_results", ANYWHERE),
        KNOWN("content_filter_result", ANYWHERE), KNOWN("content_filter_offsets", ANYWHERE),
        KNOWN("content_filters", ANYWHERE),
        /* Reasoning that only the engine can read. */
        KNOWN("signature", IN_MESSAGE | IN(CALL)), KNOWN("thinking_signature", IN_MESSAGE),
        KNOWN("reasoning_signature", IN_MESSAGE), KNOWN("thought_signature", IN_MESSAGE | IN(CALL)),
        KNOWN("reasoning_opaque", IN_MESSAGE), KNOWN("encrypted_content", IN_MESSAGE),
        KNOWN("data", IN(THOUGHT)), KNOWN("effort", IN(THOUGHT)),
        KNOWN("provider_specific_fields", INNER | IN(CALL)),
        KNOWN("extra_content", INNER | IN(MESSAGE) | IN(CALL)), /* Gemini's signatures */
};

/* NULL: it may have content. */
static const struct known *find_known(enum member_place place, const struct json_token *key)
{
	for (size_t i = 0; i < ARRAY_LEN(without_content); i++) {
		const struct known *k = &without_content[i];
		if (k->in & 1u << place && key_is_bytes(key, k->name, k->len)) {
			return k;
		}
	}
	return NULL;
}

/* Whether the member is, by its name, a measured or counted number. */
static bool is_measure(enum member_place place, const struct json_token *key, struct span value)
{
	/* those after "Tokens" only in engines' scores */
	static const char *const ends[] = {"_tokens", "_count", "_time", "_latency", "_duration",
	        "_ms", "_ts", "_at", "_throughput", "Count", "Latency", "Tokens", "_ct", "_num",
	        "_rate", "_length"};
	const unsigned places = IN_TOP | IN_SCORES | IN(CHOICE);
	size_t n_ends = ARRAY_LEN(ends) - (IN_SCORES & 1u << place ? 0 : 4);
	struct span name = json_token_raw(key);
	if (place == MEMBER_OF_META && name.len > 5 && memcmp(name.data, "spec_", 5) == 0) {
		return true; /* statistics of speculative decoding, histograms included */
	}
	bool is_number = value.len && (is_digit(value.data[0]) || value.data[0] == '-');
	for (size_t i = 0; is_number && places & 1u << place && i < n_ends; i++) {
		size_t n = strlen(ends[i]);
		if (name.len > n && memcmp(name.data + name.len - n, ends[i], n) == 0) {
			return true;
		}
	}
	return false;
}

bool members_has_value(struct span value)
{
	struct json j;
	struct json_token t;
	json_init_lenient(&j, value.data, value.len);
	while ((t = json_next(&j)).type != JSON_TOKEN_END && t.type != JSON_TOKEN_ERROR) {
		if ((t.type == JSON_TOKEN_STRING && t.len > 2) || t.type == JSON_TOKEN_NUMBER ||
		        t.type == JSON_TOKEN_TRUE) {
			return true;
		}
	}
	return false;
}

/* Whether there is a text in the value that is not empty and has an unknown name. */
static bool holds_text_within(enum member_place place, struct span value)
{
	struct json j;
	struct json_token t, key = {0};
	json_init_lenient(&j, value.data, value.len);
	while ((t = json_next(&j)).type != JSON_TOKEN_END && t.type != JSON_TOKEN_ERROR) {
		bool is_text = t.type == JSON_TOKEN_STRING && t.len > 2;
		if (is_text && (key.type != JSON_TOKEN_KEY || !find_known(place, &key))) {
			return true;
		}
		key = t;
	}
	return false;
}

/* Whether a member has a value, is unknown and is no measured number. */
static bool is_unknown(enum member_place place, const struct json_token *key, struct span value)
{
	return !find_known(place, key) && !is_measure(place, key, value) &&
	       members_has_value(value);
}

static bool has_unknown_within(enum member_place place, struct span object)
{
	struct json j;
	struct json_token t;
	json_begin_lenient(&j, object);
	while ((t = json_next(&j)).type == JSON_TOKEN_KEY) {
		struct json_token v = json_next(&j);
		if (is_unknown(place, &t, json_skip(&j, &v))) {
			return true;
		}
	}
	return false;
}

bool members_may_hold(enum member_place place, const struct json_token *key, struct span value)
{
	const unsigned of_engine = IN_TOP | IN(CHOICE) | IN(EVENT);
	const struct known *known = find_known(place, key);
	if (known && known->in & INNER) {
		return holds_text_within(place, value);
	}
	bool is_open = of_engine & 1u << place && value.len && value.data[0] == '{';
	return is_unknown(place, key, value) && (!is_open || has_unknown_within(place, value));
}

/* What precedes a member's name in draft.unknown. */
static ENUM_NAMES(prefix_of, enum member_place, "", "", "", "meta_info.", "details.", "choice.",
        "message.", "tool_call.", "content.", "reasoning.", "output.", "");

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

/* The names are stored as one list separated by spaces; other characters in a name are replaced. */
void members_add_unknown(struct draft *d, enum member_place place, struct span type)
{
	char name[READING_UNKNOWN_NAME];
	size_t n = strlen(prefix_of(place));
	if (d->status >= 400) {
		return;
	}
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

void members_check(
        struct draft *d, enum member_place place, const struct json_token *key, struct span value)
{
	const struct known *known = find_known(place, key);
	d->has_copy |= known && known->in & COPY && members_has_value(value);
	if (members_may_hold(place, key, value)) {
		members_add_unknown(d, place, json_token_raw(key));
	}
}

void members_skip(struct draft *d, enum member_place place, struct json *j,
        const struct json_token *key, const struct json_token *first)
{
	members_check(d, place, key, json_skip(j, first));
}

void members_add_unread(
        struct draft *d, enum member_place place, const char *name, struct span value)
{
	if (members_has_value(value)) {
		members_add_unknown(d, place, span_of(name));
	}
}

void members_check_event(struct draft *d, struct span text, struct span type)
{
	if (has_unknown_within(MEMBER_OF_EVENT, text)) {
		members_add_unknown(d, MEMBER_OF_EVENT, type);
	}
}

void members_drop(struct draft *d, size_t n, size_t len)
{
	d->n_unknown = n;
	d->unknown.len = len;
	d->marks &= n ? ~0u : ~(uint32_t)READING_UNKNOWN_MEMBERS;
}
