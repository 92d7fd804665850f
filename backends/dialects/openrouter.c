/* OpenRouter: a gateway to many providers. Source: its documentation. */
#include "backends/dialects/dialects.h"

static const struct sign signs[] = {
        {SIGN_MEMBER, SIGN_STRONG, "v1/models", "data.0.top_provider", NULL},
        {SIGN_MEMBER, SIGN_STRONG, "v1/models", "data.0.supported_parameters", NULL},
        {SIGN_END},
};

static const struct fact_source facts[] = {
        {"model.source", "v1/models", NULL, "data.0.hugging_face_id", NULL},
        {"model.context", "v1/models", NULL, "data.0.top_provider.context_length", NULL},
        {"model.context_trained", "v1/models", NULL, "data.0.context_length", NULL},
        {"model.tokenizer", "v1/models", NULL, "data.0.architecture.tokenizer", NULL},
        {NULL},
};

static const char *const cautions[] = {
        "Each request may go to another provider, at another precision, unless the body's "
        "provider member pins one.",
        "Logprobs are given by few of the providers behind it.",
        NULL,
};

const struct dialect dialect_openrouter = {
        .name = "openrouter",
        .title = "OpenRouter",
        .signs = signs,
        .relays = true,
        .facts = facts,
        .abilities = ABILITY_ALL_LOGPROBS | ABILITY_TOOLS_LOGPROBS | ABILITY_STREAM_USAGE,
        .max_top = 20,
        .greedy_chat = GREEDY_COMMON,
        .greedy_completion = GREEDY_COMMON,
        .defaults_chat = SAMPLING_UNKNOWN,
        .defaults_completion = SAMPLING_UNKNOWN,
        .off = SAMPLING_OPENAI,
        .repetition_name = "repetition_penalty",
        .thinking_on = MEMBERS({"reasoning", "{\"enabled\":true}"}),
        .thinking_off = MEMBERS({"reasoning", "{\"enabled\":false}"}),
        .scoring = SCORING_NONE,
        .cautions = cautions,
};
