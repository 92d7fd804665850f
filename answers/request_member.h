#pragma once
/*
 * request_member - the members of a request that plumbline reads, and the endpoints at which they
 * count. Pure.
 */
#include <stdbool.h>

#include "base/json.h"
#include "answers/request.h"

/* Members at the top level of a request or in its options. */
#define REQUEST_MEMBERS(X)                                                                         \
	X(BACKGROUND, "background")                                                                \
	X(CONVERSATION, "conversation")                                                            \
	X(DETAILS, "details")                                                                      \
	X(DO_SAMPLE, "do_sample")                                                                  \
	X(FREQUENCY_PENALTY, "frequency_penalty")                                                  \
	X(INCLUDE, "include")                                                                      \
	X(INPUT, "input")                                                                          \
	X(LOGPROBS, "logprobs")                                                                    \
	X(MAX_COMPLETION_TOKENS, "max_completion_tokens")                                          \
	X(MAX_NEW_TOKENS, "max_new_tokens")                                                        \
	X(MAX_OUTPUT_TOKENS, "max_output_tokens")                                                  \
	X(MAX_TOKENS, "max_tokens")                                                                \
	X(MESSAGES, "messages")                                                                    \
	X(MIN_P, "min_p")                                                                          \
	X(MODEL, "model")                                                                          \
	X(N, "n")                                                                                  \
	X(NUM_PREDICT, "num_predict")                                                              \
	X(N_PREDICT, "n_predict")                                                                  \
	X(N_PROBS, "n_probs")                                                                      \
	X(OPTIONS, "options")                                                                      \
	X(PARAMETERS, "parameters")                                                                \
	X(PRESENCE_PENALTY, "presence_penalty")                                                    \
	X(PREVIOUS_RESPONSE_ID, "previous_response_id")                                            \
	X(REPEAT_PENALTY, "repeat_penalty")                                                        \
	X(REPETITION_PENALTY, "repetition_penalty")                                                \
	X(REP_PEN, "rep_pen")                                                                      \
	X(RETURN_LOGPROB, "return_logprob")                                                        \
	X(RETURN_PROMPT_TOKEN_IDS, "return_prompt_token_ids")                                      \
	X(RETURN_TOKEN_IDS, "return_token_ids")                                                    \
	X(SAMPLING_PARAMS, "sampling_params")                                                      \
	X(SEED, "seed")                                                                            \
	X(STORE, "store")                                                                          \
	X(STREAM, "stream")                                                                        \
	X(STREAM_OPTIONS, "stream_options")                                                        \
	X(TEMPERATURE, "temperature")                                                              \
	X(TOOLS, "tools")                                                                          \
	X(TOP_K, "top_k")                                                                          \
	X(TOP_LOGPROBS, "top_logprobs")                                                            \
	X(TOP_LOGPROBS_NUM, "top_logprobs_num")                                                    \
	X(TOP_N_TOKENS, "top_n_tokens")                                                            \
	X(TOP_P, "top_p")

#define REQUEST_MEMBER(member, name) REQUEST_##member,
enum request_member { REQUEST_MEMBERS(REQUEST_MEMBER) N_REQUEST_MEMBERS };
#undef REQUEST_MEMBER

/* The member with this key; N_REQUEST_MEMBERS: plumbline does not read it. */
enum request_member request_member_of(const struct json_token *key);
/* True if engines read the member at this endpoint. Engines ignore members that they do not know;
 * plumbline must ignore the same members. */
bool request_member_is_known(enum request_member m, enum endpoint endpoint);
/* True for an engine's own API: Ollama's, SGLang's, TGI's, llama.cpp's. */
bool endpoint_is_native(enum endpoint endpoint);
