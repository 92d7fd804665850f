#include "answers/finish.h"

#include "base/ascii.h"
#include "base/check.h"

/* Words in lower case, with '_' for any separator or none. */
static const struct {
	const char *word;
	enum finish finish;
} WORDS[] = {
        {"stop", FINISH_STOP},
        {"length", FINISH_LENGTH},
        {"tool_calls", FINISH_CALLS},
        {"content_filter", FINISH_FILTER},
        {"abort", FINISH_ABORTED},
        {"error", FINISH_ABORTED},

        /* The model's own end, and stop sequences. */
        {"eos", FINISH_STOP},
        {"eos_token", FINISH_STOP},
        {"eos_found", FINISH_STOP},
        {"eos_token_id", FINISH_STOP},
        {"end_id", FINISH_STOP},
        {"end_turn", FINISH_STOP},
        {"end_of_turn", FINISH_STOP},
        {"end_of_text", FINISH_STOP},
        {"stop_sequence", FINISH_SEQUENCE},
        {"stop_string_found", FINISH_SEQUENCE},
        {"stop_str", FINISH_SEQUENCE},
        {"stop_words", FINISH_SEQUENCE},
        {"stop_token", FINISH_STOP},
        {"stop_criteria_met", FINISH_STOP},
        {"stopped", FINISH_STOP},
        {"word", FINISH_SEQUENCE},
        {"complete", FINISH_STOP},
        {"completed", FINISH_STOP},
        {"done", FINISH_STOP},
        {"finish", FINISH_STOP},
        {"finished", FINISH_STOP},
        {"normal", FINISH_STOP},
        /* Ollama's reasons for a request without a prompt, which loads or unloads a model. */
        {"load", FINISH_STOP},
        {"unload", FINISH_STOP},

        {"limit", FINISH_LENGTH},
        {"max_tokens", FINISH_LENGTH},
        {"max_output", FINISH_LENGTH},
        {"max_output_tokens", FINISH_LENGTH},
        {"max_new_tokens", FINISH_LENGTH},
        {"max_completion_tokens", FINISH_LENGTH},
        {"max_length", FINISH_LENGTH},
        {"max_predicted_tokens_reached", FINISH_LENGTH},
        {"token_limit", FINISH_LENGTH},
        {"model_length", FINISH_LENGTH},
        {"context_length_reached", FINISH_LENGTH},
        {"model_context_window_exceeded", FINISH_LENGTH},
        {"incomplete", FINISH_LENGTH},
        {"repetition", FINISH_LENGTH},
        {"pause_turn", FINISH_LENGTH},

        {"tool_call", FINISH_CALLS},
        {"tool_use", FINISH_CALLS},
        {"function_call", FINISH_CALLS},
        {"function_calls", FINISH_CALLS},
        {"function_calling", FINISH_CALLS},

        {"content_filtered", FINISH_FILTER},
        {"guardrail_intervened", FINISH_FILTER},
        {"guardrails", FINISH_FILTER},
        {"refusal", FINISH_FILTER},
        {"safety", FINISH_FILTER},
        {"sensitive", FINISH_FILTER},
        {"recitation", FINISH_FILTER},
        {"language", FINISH_FILTER},
        {"blocklist", FINISH_FILTER},
        {"prohibited_content", FINISH_FILTER},
        {"spii", FINISH_FILTER},
        {"image_safety", FINISH_FILTER},
        {"image_prohibited_content", FINISH_FILTER},
        {"image_recitation", FINISH_FILTER},
        {"error_toxic", FINISH_FILTER},

        {"aborted", FINISH_ABORTED},
        {"cancel", FINISH_ABORTED},
        {"canceled", FINISH_ABORTED},
        {"cancelled", FINISH_ABORTED},
        {"user_cancel", FINISH_ABORTED},
        {"user_stopped", FINISH_ABORTED},
        {"client_disconnect", FINISH_ABORTED},
        {"disconnect", FINISH_ABORTED},
        {"interrupted", FINISH_ABORTED},
        {"preempted", FINISH_ABORTED},
        {"timeout", FINISH_ABORTED},
        {"time_limit", FINISH_ABORTED},
        {"max_time", FINISH_ABORTED},
        {"failed", FINISH_ABORTED},
        {"failure", FINISH_ABORTED},
        {"expired", FINISH_ABORTED},
        {"network_error", FINISH_ABORTED},
        {"server_error", FINISH_ABORTED},
        {"internal_error", FINISH_ABORTED},
        {"error_limit", FINISH_ABORTED},
        {"error_finish", FINISH_ABORTED},
        {"rate_limit_exceeded", FINISH_ABORTED},
        {"insufficient_system_resource", FINISH_ABORTED},
        {"model_unloaded", FINISH_ABORTED},
        {"parse_error", FINISH_ABORTED},
        {"malformed_function_call", FINISH_ABORTED},
        {"malformed_response", FINISH_ABORTED},
        {"malformed_model_output", FINISH_ABORTED},
        {"malformed_tool_use", FINISH_ABORTED},
        {"unexpected_tool_call", FINISH_ABORTED},
        {"too_many_tool_calls", FINISH_ABORTED},
        {"missing_thought_signature", FINISH_ABORTED},
        {"no_image", FINISH_ABORTED},
        {"image_other", FINISH_ABORTED},
        {"other", FINISH_ABORTED},

        {"none", FINISH_NONE},
        {"null", FINISH_NONE},
        {"not_finished", FINISH_NONE},
        {"in_progress", FINISH_NONE},
        {"queued", FINISH_NONE},
        {"finish_reason_unspecified", FINISH_NONE},
};

static bool is_separator(char c)
{
	return c == '_' || c == '-';
}

/* Returns the length of the word at the beginning of the text; 0: it is not there. */
static size_t match_word(struct span text, const char *word)
{
	size_t i = 0;
	for (; *word; word++) {
		if (is_separator(*word)) {
			i += i < text.len && is_separator(text.data[i]);
		} else if (i == text.len || to_lower(text.data[i++]) != *word) {
			return 0;
		}
	}
	return i;
}

/* Words of engines' own making, such as "kv_transfer_error" and "request_aborted". */
static bool tells_of_failure(struct span reason)
{
	static const char *const parts[] = {"abort", "cancel", "crash", "disconnect", "error",
	        "evict", "exception", "fail", "interrupt", "killed", "malformed", "out_of_memory",
	        "overload", "preempt", "shutdown", "timed_out", "timeout", "unavailable"};
	for (size_t at = 0; at < reason.len; at++) {
		for (size_t i = 0; i < ARRAY_LEN(parts); i++) {
			if (match_word(span_from(reason, at), parts[i])) {
				return true;
			}
		}
	}
	return false;
}

enum finish finish_of_word(struct span reason)
{
	for (size_t i = 0; i < ARRAY_LEN(WORDS); i++) {
		if (reason.len && match_word(reason, WORDS[i].word) == reason.len) {
			return WORDS[i].finish;
		}
	}
	return reason.len ? FINISH_UNKNOWN : FINISH_NONE;
}

enum finish finish_of_span(struct span reason)
{
	enum finish finish = finish_of_word(reason);
	return finish == FINISH_UNKNOWN && tells_of_failure(reason) ? FINISH_ABORTED : finish;
}

enum finish finish_of(const char *reason)
{
	return finish_of_span(span_of(reason));
}

bool finish_same(const char *a, const char *b)
{
	enum finish x = finish_of(a), y = finish_of(b);
	if (x == FINISH_UNKNOWN && y == FINISH_UNKNOWN) {
		return strcmp(a, b) == 0;
	}
	x = x == FINISH_SEQUENCE ? FINISH_STOP : x;
	y = y == FINISH_SEQUENCE ? FINISH_STOP : y;
	return x == y;
}
