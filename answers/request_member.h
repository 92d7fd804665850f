#pragma once
/*
 * request_member - the members of a request that plumbline reads, and the endpoints at which they
 * count. Pure.
 */
#include <stdbool.h>

#include "base/json.h"
#include "answers/request.h"

/* Members at the top level of a request or in its options. */
enum request_member {
	REQUEST_BACKGROUND,
	REQUEST_CONVERSATION,
	REQUEST_DETAILS,
	REQUEST_DO_SAMPLE,
	REQUEST_FREQUENCY_PENALTY,
	REQUEST_INCLUDE,
	REQUEST_INPUT,
	REQUEST_LOGPROBS,
	REQUEST_MAX_COMPLETION_TOKENS,
	REQUEST_MAX_NEW_TOKENS,
	REQUEST_MAX_OUTPUT_TOKENS,
	REQUEST_MAX_TOKENS,
	REQUEST_MESSAGES,
	REQUEST_MIN_P,
	REQUEST_MODEL,
	REQUEST_N,
	REQUEST_NUM_PREDICT,
	REQUEST_N_PREDICT,
	REQUEST_N_PROBS,
	REQUEST_OPTIONS,
	REQUEST_PARAMETERS,
	REQUEST_PRESENCE_PENALTY,
	REQUEST_PREVIOUS_RESPONSE_ID,
	REQUEST_REPEAT_PENALTY,
	REQUEST_REPETITION_PENALTY,
	REQUEST_REP_PEN,
	REQUEST_RETURN_LOGPROB,
	REQUEST_RETURN_PROMPT_TOKEN_IDS,
	REQUEST_RETURN_TOKEN_IDS,
	REQUEST_SAMPLING_PARAMS,
	REQUEST_SEED,
	REQUEST_STORE,
	REQUEST_STREAM,
	REQUEST_STREAM_OPTIONS,
	REQUEST_TEMPERATURE,
	REQUEST_TOOLS,
	REQUEST_TOP_K,
	REQUEST_TOP_LOGPROBS,
	REQUEST_TOP_LOGPROBS_NUM,
	REQUEST_TOP_N_TOKENS,
	REQUEST_TOP_P,
	N_REQUEST_MEMBERS,
};

/* The member with this key; N_REQUEST_MEMBERS: plumbline does not read it. */
enum request_member request_member_of(const struct json_token *key);
/* True if engines read the member at this endpoint. Engines ignore members that they do not know;
 * plumbline must ignore the same members. */
bool request_member_is_known(enum request_member m, enum endpoint endpoint);
/* True for an engine's own API: Ollama's, SGLang's, TGI's, llama.cpp's. */
bool endpoint_is_native(enum endpoint endpoint);
