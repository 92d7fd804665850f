#include "answers/request_member.h"

#include <string.h>

static const struct span member_names[N_MEMBERS] = {
        [MEMBER_BACKGROUND] = {"background", 10},
        [MEMBER_CONVERSATION] = {"conversation", 12},
        [MEMBER_DETAILS] = {"details", 7},
        [MEMBER_DO_SAMPLE] = {"do_sample", 9},
        [MEMBER_FREQUENCY_PENALTY] = {"frequency_penalty", 17},
        [MEMBER_INCLUDE] = {"include", 7},
        [MEMBER_INPUT] = {"input", 5},
        [MEMBER_LOGPROBS] = {"logprobs", 8},
        [MEMBER_MAX_COMPLETION_TOKENS] = {"max_completion_tokens", 21},
        [MEMBER_MAX_NEW_TOKENS] = {"max_new_tokens", 14},
        [MEMBER_MAX_OUTPUT_TOKENS] = {"max_output_tokens", 17},
        [MEMBER_MAX_TOKENS] = {"max_tokens", 10},
        [MEMBER_MESSAGES] = {"messages", 8},
        [MEMBER_MIN_P] = {"min_p", 5},
        [MEMBER_MODEL] = {"model", 5},
        [MEMBER_N] = {"n", 1},
        [MEMBER_NUM_PREDICT] = {"num_predict", 11},
        [MEMBER_N_PREDICT] = {"n_predict", 9},
        [MEMBER_N_PROBS] = {"n_probs", 7},
        [MEMBER_OPTIONS] = {"options", 7},
        [MEMBER_PARAMETERS] = {"parameters", 10},
        [MEMBER_PRESENCE_PENALTY] = {"presence_penalty", 16},
        [MEMBER_PREVIOUS_RESPONSE_ID] = {"previous_response_id", 20},
        [MEMBER_REPEAT_PENALTY] = {"repeat_penalty", 14},
        [MEMBER_REPETITION_PENALTY] = {"repetition_penalty", 18},
        [MEMBER_REP_PEN] = {"rep_pen", 7},
        [MEMBER_RETURN_LOGPROB] = {"return_logprob", 14},
        [MEMBER_RETURN_PROMPT_TOKEN_IDS] = {"return_prompt_token_ids", 23},
        [MEMBER_RETURN_TOKEN_IDS] = {"return_token_ids", 16},
        [MEMBER_SAMPLING_PARAMS] = {"sampling_params", 15},
        [MEMBER_SEED] = {"seed", 4},
        [MEMBER_STORE] = {"store", 5},
        [MEMBER_STREAM] = {"stream", 6},
        [MEMBER_STREAM_OPTIONS] = {"stream_options", 14},
        [MEMBER_TEMPERATURE] = {"temperature", 11},
        [MEMBER_TOOLS] = {"tools", 5},
        [MEMBER_TOP_K] = {"top_k", 5},
        [MEMBER_TOP_LOGPROBS] = {"top_logprobs", 12},
        [MEMBER_TOP_LOGPROBS_NUM] = {"top_logprobs_num", 16},
        [MEMBER_TOP_N_TOKENS] = {"top_n_tokens", 12},
        [MEMBER_TOP_P] = {"top_p", 5},
};

enum request_member request_member_of(const struct json_token *key)
{
	struct span raw = json_token_raw(key);
	for (enum request_member m = 0; m < N_MEMBERS; m++) {
		if (raw.len == member_names[m].len &&
		        memcmp(raw.data, member_names[m].data, raw.len) == 0) {
			return m;
		}
	}
	for (enum request_member m = 0; key->escaped && m < N_MEMBERS; m++) {
		if (json_token_is_key(key, member_names[m].data)) {
			return m;
		}
	}
	return N_MEMBERS;
}

bool endpoint_is_native(enum endpoint endpoint)
{
	return endpoint == ENDPOINT_NATIVE_CHAT || endpoint == ENDPOINT_NATIVE_GENERATE;
}

bool request_member_is_known(enum request_member m, enum endpoint endpoint)
{
	switch (m) {
	case MEMBER_DETAILS:
	case MEMBER_DO_SAMPLE:
	case MEMBER_MAX_NEW_TOKENS:
	case MEMBER_NUM_PREDICT:
	case MEMBER_N_PREDICT:
	case MEMBER_RETURN_LOGPROB:
	case MEMBER_TOP_LOGPROBS_NUM:
	case MEMBER_TOP_N_TOKENS:
		return endpoint_is_native(endpoint);
	case MEMBER_CONVERSATION:
	case MEMBER_MAX_OUTPUT_TOKENS:
		return endpoint == ENDPOINT_RESPONSES;
	default:
		return endpoint != ENDPOINT_OTHER;
	}
}
