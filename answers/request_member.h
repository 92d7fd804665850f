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
	MEMBER_BACKGROUND,
	MEMBER_CONVERSATION,
	MEMBER_DETAILS,
	MEMBER_DO_SAMPLE,
	MEMBER_FREQUENCY_PENALTY,
	MEMBER_INCLUDE,
	MEMBER_INPUT,
	MEMBER_LOGPROBS,
	MEMBER_MAX_COMPLETION_TOKENS,
	MEMBER_MAX_NEW_TOKENS,
	MEMBER_MAX_OUTPUT_TOKENS,
	MEMBER_MAX_TOKENS,
	MEMBER_MESSAGES,
	MEMBER_MIN_P,
	MEMBER_MODEL,
	MEMBER_N,
	MEMBER_NUM_PREDICT,
	MEMBER_N_PREDICT,
	MEMBER_N_PROBS,
	MEMBER_OPTIONS,
	MEMBER_PARAMETERS,
	MEMBER_PRESENCE_PENALTY,
	MEMBER_PREVIOUS_RESPONSE_ID,
	MEMBER_REPEAT_PENALTY,
	MEMBER_REPETITION_PENALTY,
	MEMBER_REP_PEN,
	MEMBER_RETURN_LOGPROB,
	MEMBER_RETURN_PROMPT_TOKEN_IDS,
	MEMBER_RETURN_TOKEN_IDS,
	MEMBER_SAMPLING_PARAMS,
	MEMBER_SEED,
	MEMBER_STORE,
	MEMBER_STREAM,
	MEMBER_STREAM_OPTIONS,
	MEMBER_TEMPERATURE,
	MEMBER_TOOLS,
	MEMBER_TOP_K,
	MEMBER_TOP_LOGPROBS,
	MEMBER_TOP_LOGPROBS_NUM,
	MEMBER_TOP_N_TOKENS,
	MEMBER_TOP_P,
	N_MEMBERS,
};

/* The member with this key; N_MEMBERS: plumbline does not read it. */
enum request_member request_member_of(const struct json_token *key);
/* True if engines read the member at this endpoint. Engines ignore members that they do not know;
 * plumbline must ignore the same members. */
bool request_member_is_known(enum request_member m, enum endpoint endpoint);
/* True for an engine's own API: Ollama's, SGLang's, TGI's, llama.cpp's. */
bool endpoint_is_native(enum endpoint endpoint);
