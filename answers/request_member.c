#include "answers/request_member.h"

#include <string.h>

static const struct span member_names[N_REQUEST_MEMBERS] = {
        [REQUEST_BACKGROUND] = {"background", 10},
        [REQUEST_CONVERSATION] = {"conversation", 12},
        [REQUEST_DETAILS] = {"details", 7},
        [REQUEST_DO_SAMPLE] = {"do_sample", 9},
        [REQUEST_FREQUENCY_PENALTY] = {"frequency_penalty", 17},
        [REQUEST_INCLUDE] = {"include", 7},
        [REQUEST_INPUT] = {"input", 5},
        [REQUEST_LOGPROBS] = {"logprobs", 8},
        [REQUEST_MAX_COMPLETION_TOKENS] = {"max_completion_tokens", 21},
        [REQUEST_MAX_NEW_TOKENS] = {"max_new_tokens", 14},
        [REQUEST_MAX_OUTPUT_TOKENS] = {"max_output_tokens", 17},
        [REQUEST_MAX_TOKENS] = {"max_tokens", 10},
        [REQUEST_MESSAGES] = {"messages", 8},
        [REQUEST_MIN_P] = {"min_p", 5},
        [REQUEST_MODEL] = {"model", 5},
        [REQUEST_N] = {"n", 1},
        [REQUEST_NUM_PREDICT] = {"num_predict", 11},
        [REQUEST_N_PREDICT] = {"n_predict", 9},
        [REQUEST_N_PROBS] = {"n_probs", 7},
        [REQUEST_OPTIONS] = {"options", 7},
        [REQUEST_PARAMETERS] = {"parameters", 10},
        [REQUEST_PRESENCE_PENALTY] = {"presence_penalty", 16},
        [REQUEST_PREVIOUS_RESPONSE_ID] = {"previous_response_id", 20},
        [REQUEST_REPEAT_PENALTY] = {"repeat_penalty", 14},
        [REQUEST_REPETITION_PENALTY] = {"repetition_penalty", 18},
        [REQUEST_REP_PEN] = {"rep_pen", 7},
        [REQUEST_RETURN_LOGPROB] = {"return_logprob", 14},
        [REQUEST_RETURN_PROMPT_TOKEN_IDS] = {"return_prompt_token_ids", 23},
        [REQUEST_RETURN_TOKEN_IDS] = {"return_token_ids", 16},
        [REQUEST_SAMPLING_PARAMS] = {"sampling_params", 15},
        [REQUEST_SEED] = {"seed", 4},
        [REQUEST_STORE] = {"store", 5},
        [REQUEST_STREAM] = {"stream", 6},
        [REQUEST_STREAM_OPTIONS] = {"stream_options", 14},
        [REQUEST_TEMPERATURE] = {"temperature", 11},
        [REQUEST_TOOLS] = {"tools", 5},
        [REQUEST_TOP_K] = {"top_k", 5},
        [REQUEST_TOP_LOGPROBS] = {"top_logprobs", 12},
        [REQUEST_TOP_LOGPROBS_NUM] = {"top_logprobs_num", 16},
        [REQUEST_TOP_N_TOKENS] = {"top_n_tokens", 12},
        [REQUEST_TOP_P] = {"top_p", 5},
};

enum request_member request_member_of(const struct json_token *key)
{
	struct span raw = json_token_raw(key);
	for (enum request_member m = 0; m < N_REQUEST_MEMBERS; m++) {
		if (raw.len == member_names[m].len &&
		        memcmp(raw.data, member_names[m].data, raw.len) == 0) {
			return m;
		}
	}
	for (enum request_member m = 0; key->escaped && m < N_REQUEST_MEMBERS; m++) {
		if (json_token_is_key(key, member_names[m].data)) {
			return m;
		}
	}
	return N_REQUEST_MEMBERS;
}

bool endpoint_is_native(enum endpoint endpoint)
{
	return endpoint == ENDPOINT_NATIVE_CHAT || endpoint == ENDPOINT_NATIVE_GENERATE;
}

bool request_member_is_known(enum request_member m, enum endpoint endpoint)
{
	switch (m) {
	case REQUEST_DETAILS:
	case REQUEST_DO_SAMPLE:
	case REQUEST_MAX_NEW_TOKENS:
	case REQUEST_NUM_PREDICT:
	case REQUEST_N_PREDICT:
	case REQUEST_RETURN_LOGPROB:
	case REQUEST_TOP_LOGPROBS_NUM:
	case REQUEST_TOP_N_TOKENS:
		return endpoint_is_native(endpoint);
	case REQUEST_CONVERSATION:
	case REQUEST_MAX_OUTPUT_TOKENS:
		return endpoint == ENDPOINT_RESPONSES;
	default:
		return endpoint != ENDPOINT_OTHER;
	}
}
