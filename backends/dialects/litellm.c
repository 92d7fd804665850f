/* LiteLLM's proxy: a gateway in front of engines of any kind. Source: its documentation. */
#include "backends/dialects/dialects.h"

static const struct sign signs[] = {
        {SIGN_HEADER, SIGN_CERTAIN, "v1/models", "x-litellm-version", NULL},
        {SIGN_MEMBER, SIGN_CERTAIN, "/health/readiness", "litellm_version", NULL},
        {SIGN_END},
};

static const char *const cautions[] = {
        "The engine behind it decides what is honoured; it may drop unknown members.",
        "It may send a request again, to another engine, and answer out of a cache.",
        "Its /health queries every engine behind it, so plumbline does not request it.",
        NULL,
};

const struct dialect dialect_litellm = {
        .name = "litellm",
        .title = "LiteLLM",
        .signs = signs,
        .relays = true,
        .version_path = "/health/readiness",
        .version_member = "litellm_version",
        .abilities = ABILITY_ALL_LOGPROBS | ABILITY_TOOLS_LOGPROBS | ABILITY_STREAM_USAGE,
        .max_top = 20,
        .max_top_completion = 5,
        .greedy_chat = GREEDY_OPENAI,
        .greedy_completion = GREEDY_OPENAI,
        .defaults_chat = SAMPLING_UNKNOWN,
        .defaults_completion = SAMPLING_UNKNOWN,
        .off = SAMPLING_OPENAI_ONLY,
        .thinking_on = MEMBERS({"reasoning_effort", "\"medium\""}),
        .thinking_off = MEMBERS({"reasoning_effort", "\"none\""}),
        .scoring = SCORING_NONE,
        .cautions = cautions,
};
