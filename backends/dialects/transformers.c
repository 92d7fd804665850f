/* transformers serve. Measured: 5.19.0. */
#include "backends/dialects/dialects.h"

/* frequency_penalty x becomes a repetition penalty of 1 + x, so that 0 overrides one in the
 * model's generation_config.json. */
#define GREEDY MEMBERS({"temperature", "0"}, {"frequency_penalty", "0"}, {"top_p", NULL})

static const struct sign signs[] = {
        {SIGN_TEXT, SIGN_CERTAIN, "/openapi.json", NULL, "\"/load_model\""},
        {SIGN_HEADER, SIGN_WEAK, "/version", "server", "uvicorn"},
        {SIGN_HEADER, SIGN_WEAK, "/version", "x-request-id", NULL},
        {SIGN_END},
};

static const char *const cautions[] = {
        "It gives no logprobs: it can be compared by text only.",
        "Members that it does not know are refused with 422.",
        "Streams end without [DONE].",
        "It reads frequency_penalty x as a repetition penalty of 1 + x.",
        NULL,
};

const struct dialect dialect_transformers = {
        .name = "transformers",
        .title = "transformers serve",
        .signs = signs,
        .max_top = 0,
        .greedy_chat = GREEDY,
        .greedy_completion = GREEDY,
        .allowed_chat = NAMES("model", "messages", "max_tokens", "stream", "temperature", "top_p",
                "frequency_penalty", "logit_bias", "seed", "stop", "tools", "generation_config",
                "chat_template_kwargs"),
        .allowed_completion = NAMES("model", "prompt", "suffix", "max_tokens", "stream",
                "temperature", "top_p", "frequency_penalty", "seed", "stop", "generation_config"),
        .renames = RENAMES({"max_completion_tokens", "max_tokens"}),
        .refuses_null = true,
        .defaults_chat = SAMPLING_BY_MODEL,
        .defaults_completion = SAMPLING_BY_MODEL,
        .off = {.temperature = 1,
                .top_p = 1,
                .top_k = NAN,
                .min_p = NAN,
                .repetition_penalty = NAN,
                .presence_penalty = NAN,
                .frequency_penalty = 0},
        .default_max_tokens = 0,
        .default_max_tokens_chat = 0,
        .thinking_on = THINKING_BY_TEMPLATE("true"),
        .thinking_off = THINKING_BY_TEMPLATE("false"),
        .scoring = SCORING_NONE,
        .basis = LOGPROBS_UNKNOWN,
        .cautions = cautions,
};
