/* LMDeploy. Read in the sources of 0.16.0. */
#include "backends/dialects/dialects.h"

/* TurboMind does not support temperature 0. Only top_k 1 is greedy in both of LMDeploy's
 * engines. */
#define GREEDY                                                                                     \
	MEMBERS({"temperature", "1"}, {"top_k", "1"}, {"top_p", "1"}, {"repetition_penalty", "1"}, \
	        {"repetition_ngram_size", "0"}, {"min_p", "0"})

static const struct sign signs[] = {
        {SIGN_MEMBER, SIGN_CERTAIN, "v1/models", "data.0.owned_by", "lmdeploy"},
        {SIGN_END},
};

static const char *const cautions[] = {
        "TurboMind's logprobs are after temperature, top_k and top_p: greedy answers have 0.0 "
        "throughout.",
        "The PyTorch engine gives logprobs only with --logprobs-mode.",
        "Tokens are spelled as in the vocabulary, and the chosen one is not among its "
        "alternatives.",
        "Presence and frequency penalties are accepted and ignored.",
        "Unset sampling parameters come from the model's generation_config.json.",
        "With --allow-terminate-by-client a GET of /terminate ends the server.",
        NULL,
};

const struct dialect dialect_lmdeploy = {
        .name = "lmdeploy",
        .title = "LMDeploy",
        .signs = signs,
        .abilities = ABILITY_CHAT_LOGPROBS | ABILITY_CHAT_STREAM_LOGPROBS |
                     ABILITY_ALL_TOOLS_LOGPROBS | ABILITY_STREAM_USAGE,
        .max_top = 1024,
        .ask_ids = MEMBERS({"return_token_ids", "true"}, {"return_logprob", "true"}),
        .greedy_chat = GREEDY,
        .greedy_completion = GREEDY,
        .rules = (const struct rule[]){{"top_k", -INFINITY, -1, "0", false},
                {"temperature", 2.0000001, INFINITY, NULL, true}, {NULL, 0, 0, NULL, false}},
        .defaults_chat = SAMPLING_BY_MODEL,
        .defaults_completion = SAMPLING_BY_MODEL,
        .off = {.temperature = 1,
                .top_p = 1,
                .top_k = 0,
                .min_p = 0,
                .repetition_penalty = 1,
                .presence_penalty = NAN,
                .frequency_penalty = NAN},
        .repetition_name = "repetition_penalty",
        .thinking_on = THINKING_BY_TEMPLATE("true"),
        .thinking_off = THINKING_BY_TEMPLATE("false"),
        .scoring = SCORING_NONE,
        .basis = LOGPROBS_PROCESSED,
        .cautions = cautions,
};
