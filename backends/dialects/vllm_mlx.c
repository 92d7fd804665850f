/* vllm-mlx. Read in the sources of 0.4.1. */
#include "backends/dialects/dialects.h"

#define GREEDY                                                                                     \
	MEMBERS({"temperature", "0"}, {"top_p", "1"}, {"top_k", "0"}, {"min_p", "0"},              \
	        {"repetition_penalty", "1"}, {"presence_penalty", "0"})

static const struct sign signs[] = {
        {SIGN_MEMBER, SIGN_CERTAIN, "v1/models", "data.0.owned_by", "vllm-mlx"},
        {SIGN_ANSWERS, SIGN_WEAK, "/v1/status", NULL, NULL},
        {SIGN_END},
};

static const char *const cautions[] = {
        "It gives no logprobs, whatever is asked: it can be compared by text only.",
        "Unset parameters are temperature 0.7 and top_p 0.9.",
        NULL,
};

#define DEFAULTS                                                                                   \
	{                                                                                          \
		.temperature = 0.7, .top_p = 0.9, .top_k = 0, .min_p = 0, .repetition_penalty = 1, \
		.presence_penalty = 0, .frequency_penalty = 0                                      \
	}

const struct dialect dialect_vllm_mlx = {
        .name = "vllm-mlx",
        .title = "vllm-mlx",
        .signs = signs,
        .abilities = ABILITY_STREAM_USAGE,
        .greedy_chat = GREEDY,
        .greedy_completion = GREEDY,
        .defaults_chat = DEFAULTS,
        .defaults_completion = DEFAULTS,
        .off = {.temperature = 1,
                .top_p = 1,
                .top_k = 0,
                .min_p = 0,
                .repetition_penalty = 1,
                .presence_penalty = 0,
                .frequency_penalty = NAN},
        .repetition_name = "repetition_penalty",
        .default_max_tokens = 32768,
        .default_max_tokens_chat = 32768,
        .thinking_on = THINKING_BY_TEMPLATE("true"),
        .thinking_off = THINKING_BY_TEMPLATE("false"),
        .scoring = SCORING_NONE,
        .cautions = cautions,
};
