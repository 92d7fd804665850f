#include "capture/privacy/redact_form.h"

#include <string.h>

#include "answers/finish.h"
#include "answers/reasoning.h"

static const char *const MEASURES[] = {"acceptance_rate", "avg_decoded_tokens_per_iter", "best_of",
        "bytes", "cache_creation_input_tokens", "cache_n", "cache_read_input_tokens",
        "cache_write_tokens", "cached_tokens", "cached_tokens_per_turn", "completed_at",
        "completion_tokens", "content_index", "context", "cost", "created", "created_at",
        "dimensions", "draft_n", "draft_n_accepted", "e2e_latency", "embedding", "embeddings",
        "eval_count", "eval_duration", "frequency_penalty", "generated_tokens", "id_slot", "index",
        "input_length", "input_ids", "input_token_ids_logprobs", "input_token_logprobs",
        "input_tokens", "input_tokens_per_turn", "input_top_logprobs", "length_penalty",
        "load_duration", "logprob", "logprobs", "max_completion_tokens", "max_model_len",
        "max_new_tokens", "max_output_tokens", "max_tokens", "max_tool_calls", "min_p",
        "min_tokens", "n", "n_predict", "n_probs", "num_ctx", "num_predict", "output_ids",
        "output_index", "output_token_ids", "output_token_ids_logprobs", "output_token_logprobs",
        "output_tokens", "output_tokens_per_turn", "output_top_logprobs", "predicted_ms",
        "predicted_n", "predicted_per_second", "predicted_per_token_ms", "presence_penalty", "prob",
        "prompt_eval_count", "prompt_eval_duration", "prompt_index", "prompt_logprobs", "prompt_ms",
        "prompt_n", "prompt_per_second", "prompt_per_token_ms", "prompt_token_ids",
        "prompt_token_logprobs", "prompt_tokens", "rank", "reasoning_tokens", "rep_pen",
        "repeat_penalty", "repetition_penalty", "seed", "sequence_number", "server_load",
        "summary_index", "temperature", "text_offset", "token_ids", "token_logprobs",
        "tokens_cached", "tokens_evaluated", "tokens_predicted", "tool_output_tokens",
        "tool_output_tokens_per_turn", "top_k", "top_logprobs", "top_logprobs_num", "top_n_tokens",
        "top_p", "total_duration", "total_tokens", "truncate_prompt_tokens", "typical_p", NULL};

static const char *const NAMES[] = {"accepted_prediction_tokens", "add_generation_prompt",
        "annotations", "arguments", "audio", "audio_tokens", "background", "best_of_sequences",
        "call_id", "candidates", "chat_template_kwargs", "choices", "code", "completion",
        "completion_probabilities", "completion_tokens_details", "content", "content_block",
        "conversation", "custom", "data", "decoded_token", "decoder_input_details", "delta",
        "description", "detail", "details", "do_sample", "done", "done_reason", "echo", "effort",
        "encoding_format", "encrypted_content", "error", "error_type", "event", "finish_reason",
        "format", "function", "function_call", "functions", "generated_text", "generation_settings",
        "guided_json", "has_new_line", "id", "ignore_eos", "image_url", "images", "include",
        "include_usage", "incomplete_details", "input", "input_audio", "input_tokens_details",
        "inputs", "instructions", "item", "item_id", "json_schema", "logit_bias", "matched",
        "matched_stop", "message", "messages", "meta_info", "metadata", "metrics", "modalities",
        "model", "msg", "multimodal", "name", "obfuscation", "object", "options", "output",
        "output_tokens_details", "owned_by", "parallel_tool_calls", "param", "parameters", "part",
        "phase", "prediction", "prefill", "previous_response_id", "probs", "prompt",
        "prompt_cache_key", "prompt_filter_results", "prompt_text", "prompt_tokens_details",
        "properties", "provider_specific_fields", "raw", "reason", "reasoning_effort", "refusal",
        "rejected_prediction_tokens", "required", "response", "response_format", "responses",
        "return_full_text", "return_logprob", "return_text_in_logprobs", "return_token_ids",
        "return_tokens", "return_tokens_as_token_ids", "role", "safety_identifier",
        "sampling_params", "schema", "service_tier", "signature", "skip_special_tokens", "special",
        "status", "stop", "stop_reason", "stop_sequence", "stop_sequences", "stop_type",
        "stopped_eos", "stopped_limit", "stopped_word", "stopping_word", "store", "stream",
        "stream_options", "strict", "suffix", "summary", "system", "system_fingerprint", "text",
        "timings", "tok_str", "token", "token_id", "token_strs", "tokens", "tool_call_id",
        "tool_calls", "tool_choice", "tools", "top_probs", "top_tokens", "truncate", "truncated",
        "truncation", "type", "url", "usage", "user", "verbosity", "warnings", NULL};

static const char *const OF_USER[] = {"arguments", "chat_template_kwargs", "guided_json",
        "json_schema", "logit_bias", "metadata", "properties", "provider_specific_fields", "schema",
        NULL};

bool redact_form_is_measure(struct span name)
{
	return span_is_one_of(name, MEASURES);
}

bool redact_form_has_name(struct span name)
{
	return span_is_one_of(name, MEASURES) || span_is_one_of(name, NAMES) ||
	       reasoning_is_member(name);
}

bool redact_form_is_of_user(struct span name, bool object)
{
	/* A tool's input is an object; a request's input is a text or a list of messages. */
	return span_is_one_of(name, OF_USER) || (object && span_is(name, "input"));
}

static const char *const ROLES[] = {
        "assistant", "user", "system", "developer", "tool", "function", "model", NULL};

static const char *const STATUS[] = {"completed", "in_progress", "incomplete", "failed", "queued",
        "cancelled", "searching", "ok", "error", NULL};

static const char *const OBJECTS[] = {"chat.completion", "chat.completion.chunk", "text_completion",
        "text_completion.chunk", "response", "list", "embedding", "model", "error", "conversation",
        NULL};

static const char *const TYPES[] = {"api_error", "authentication_error", "auto", "BadRequest",
        "BadRequestError", "base64", "content_block_delta", "content_block_start",
        "content_block_stop", "custom", "custom_tool_call", "custom_tool_call_output", "ephemeral",
        "error", "function", "function_call", "function_call_output", "image", "image_url",
        "incomplete_generation", "input_audio", "input_file", "input_image", "input_json_delta",
        "input_text", "internal_server_error", "InternalServerError", "invalid_request_error",
        "json_invalid", "json_object", "json_schema", "length", "message", "message_delta",
        "message_start", "message_stop", "NotFoundError", "object", "output_text",
        "overloaded_error", "ping", "rate_limit_error", "reasoning", "reasoning.encrypted",
        "reasoning.summary", "reasoning.text", "reasoning_text", "redacted_thinking", "refusal",
        "response.completed", "response.content_part.added", "response.content_part.done",
        "response.created", "response.custom_tool_call_input.delta",
        "response.custom_tool_call_input.done", "response.failed",
        "response.function_call_arguments.delta", "response.function_call_arguments.done",
        "response.in_progress", "response.incomplete", "response.output_item.added",
        "response.output_item.done", "response.output_text.annotation.added",
        "response.output_text.delta", "response.output_text.done", "response.queued",
        "response.reasoning_part.added", "response.reasoning_part.done",
        "response.reasoning_summary_part.added", "response.reasoning_summary_part.done",
        "response.reasoning_summary_text.delta", "response.reasoning_summary_text.done",
        "response.reasoning_text.delta", "response.reasoning_text.done", "response.refusal.delta",
        "response.refusal.done", "server_error", "ServiceUnavailable", "signature_delta", "stop",
        "string", "summary_text", "text", "text_delta", "thinking", "thinking_delta", "tokens",
        "tool_result", "tool_use", "unavailable_error", "validation", NULL};

static const char *const CHOICES[] = {"auto", "none", "required", "any", "json", "float", "base64",
        "minimal", "low", "medium", "high", "xhigh", "default", "flex", "priority", "scale",
        "disabled", "concise", "detailed", NULL};

static const struct {
	const char *name;
	const char *const *values;
} VALUES[] = {
        {"role", ROLES},
        {"object", OBJECTS},
        {"type", TYPES},
        {"event", TYPES},
        {"status", STATUS},
        /* The finish reasons that answers/finish knows. */
        {"finish_reason", NULL},
        {"stop_reason", NULL},
        {"done_reason", NULL},
        {"stop_type", NULL},
        {"reason", NULL},
        {"tool_choice", CHOICES},
        {"encoding_format", CHOICES},
        {"format", CHOICES},
        {"effort", CHOICES},
        {"reasoning_effort", CHOICES},
        {"service_tier", CHOICES},
        {"truncation", CHOICES},
        {"verbosity", CHOICES},
        {"detail", CHOICES},
};

bool redact_form_is_value(struct span name, struct span value)
{
	for (size_t i = 0; i < sizeof(VALUES) / sizeof(*VALUES); i++) {
		if (span_is(name, VALUES[i].name)) {
			return VALUES[i].values
			               ? span_is_one_of(value, VALUES[i].values)
			               : value.len && finish_of_word(value) != FINISH_UNKNOWN;
		}
	}
	return false;
}

size_t redact_form_field(struct span body, size_t at, size_t end)
{
	static const char *const FIELDS[] = {
	        "data:", "event:", "error:", "id:", "retry:", ":", NULL};
	const char *d = body.data;
	bool begins = !at || d[at - 1] == '\n' || d[at - 1] == '\r';
	for (const char *const *f = FIELDS; begins && *f; f++) {
		size_t len = strlen(*f), from = at + len, to;
		if (end - at < len || memcmp(d + at, *f, len) != 0) {
			continue;
		}
		from += from < end && d[from] == ' ';
		for (to = from; to < end && d[to] != '\n' && d[to] != '\r'; to++) {
		}
		struct span value = {d + from, to - from};
		return redact_form_is_value(SPAN("event"), value) && (*f)[1] == 'v' ? to - at : len;
	}
	return 0;
}

bool redact_form_is_label(struct span value)
{
	static const char MARKS[] = "._:/@+-";
	for (size_t i = 0; i < value.len; i++) {
		char c = value.data[i], letter = (char)(c | 0x20);
		if (!c || !((c >= '0' && c <= '9') || (letter >= 'a' && letter <= 'z') ||
		                  strchr(MARKS, c))) {
			return false;
		}
	}
	return value.len <= 128;
}
