#include "cli/capture/mark_names.h"

static const char *name_of(const char *const *names, size_t n, unsigned bit)
{
	return bit < n ? names[bit] : NULL;
}

const char *exchange_mark_name(unsigned bit)
{
	static const char *const names[] = {"truncated", "body_cut"};
	return name_of(names, ARRAY_LEN(names), bit);
}

const char *leg_mark_name(unsigned bit)
{
	static const char *const names[] = {"injected_logprobs", "injected_usage",
	        "injection_refused", "unread", "truncated", "retried", "uncut", "scored", "dropped",
	        "imported", "judging", "grading", "written_out", "given_prompt", "prompt_differs",
	        "injected_token_ids", "audited"};
	return name_of(names, ARRAY_LEN(names), bit);
}

const char *reading_mark_name(unsigned bit)
{
	static const char *const names[] = {"not_json", "no_done", "cut", "tokens_misspell",
	        "logprobs_missing", "non_finite", "error_body", "too_large", "encoded",
	        "lossy_tokens", "malformed_logprobs", "zero_logprobs", "not_read", "thought_open",
	        "keyless_tokens", "bad_vector", "sampled_probs", "positive_logprobs", "empty",
	        "aborted", "unknown_finish", "unknown_members", "contradictory_usage"};
	return name_of(names, ARRAY_LEN(names), bit);
}

const char *content_name(enum content c)
{
	switch (c) {
	case CONTENT_FULL:
		return "full";
	case CONTENT_REDACTED:
		return "redacted";
	case CONTENT_METADATA:
		return "metadata";
	}
	return NULL;
}
