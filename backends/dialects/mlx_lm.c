/* mlx-lm's server. Measured: 0.32.2. */
#include "backends/dialects/dialects.h"

/* xtc_probability must be written with a decimal point: the server checks the type of every
 * number. */
#define GREEDY                                                                                     \
	MEMBERS({"temperature", "0"}, {"repetition_penalty", "0.0"}, {"presence_penalty", "0"},    \
	        {"frequency_penalty", "0"}, {"xtc_probability", NULL})

static const struct sign signs[] = {
        /* Python's built-in HTTP server, which any script may use. */
        {SIGN_SERVED, SIGN_STRONG, "v1/models", "server", "BaseHTTP/"},
        {SIGN_ABSENT, SIGN_WEAK, "v1/models", "data.0.owned_by", NULL},
        {SIGN_SERVED, SIGN_WEAK, "v1/models", "access-control-allow-headers", "*"},
        {SIGN_END},
};

static const char *const cautions[] = {
        "Streams have no logprobs.",
        "A logprob may name another token than the one in the text: with top_logprobs, the first "
        "of an unsorted list.",
        "A member that is null or of a wrong type, or top_logprobs over 11, may end the "
        "connection without an answer.",
        "max_tokens unset means 512; unset temperature means 0.",
        "It speaks HTTP/1.0: one request a connection.",
        "/v1/completions wants logprobs: true with top_logprobs, not a number.",
        NULL,
};

#define DEFAULTS                                                                                   \
	{                                                                                          \
		.temperature = 0, .top_p = 1, .top_k = 0, .min_p = 0, .repetition_penalty = 1,     \
		.presence_penalty = 0, .frequency_penalty = 0                                      \
	}

const struct dialect dialect_mlx_lm = {
        .name = "mlx-lm",
        .title = "mlx-lm",
        .signs = signs,
        .abilities = ABILITY_CHAT_LOGPROBS | ABILITY_COMPLETION_LOGPROBS | ABILITY_TOOLS_LOGPROBS |
                     ABILITY_STREAM_USAGE,
        .max_top = 11,
        .ask_completion = MEMBERS({"logprobs", "true"}, {"top_logprobs", "$TOP"}),
        .greedy_chat = GREEDY,
        .greedy_completion = GREEDY,
        .rules = (const struct rule[]){{"xtc_probability", 0, 0, NULL, false},
                {"top_k", -INFINITY, -1, "0", false}, {NULL, 0, 0, NULL, false}},
        .refuses_null = true,
        .defaults_chat = DEFAULTS,
        .defaults_completion = DEFAULTS,
        .off = {.temperature = 1,
                .top_p = 1,
                .top_k = 0,
                .min_p = 0,
                .repetition_penalty = 0,
                .presence_penalty = 0,
                .frequency_penalty = 0},
        .repetition_name = "repetition_penalty",
        .default_max_tokens = 512,
        .default_max_tokens_chat = 512,
        .thinking_on = THINKING_BY_TEMPLATE("true"),
        .thinking_off = THINKING_BY_TEMPLATE("false"),
        .scoring = SCORING_NONE,
        .basis = LOGPROBS_PROCESSED,
        .cautions = cautions,
};
