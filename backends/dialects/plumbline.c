/* plumbline's simulated engine. It does not report the defaults that it was started with:
 * plumbline, when tested, must infer them from answers. */
#include "backends/dialects/dialects.h"

static const struct sign signs[] = {
        {SIGN_STARTS, SIGN_CERTAIN, "v1/models", "data.0.owned_by", "plumbline-engine"},
        {SIGN_MEMBER, SIGN_CERTAIN, "/version", "simulated", "true"},
        {SIGN_END},
};

static const struct fact_source facts[] = {
        {"model.context", "v1/models", NULL, "data.0.max_model_len", NULL},
        {NULL},
};

static const char *const cautions[] = {
        "This is plumbline's simulated engine: no model answers.",
        NULL,
};

const struct dialect dialect_plumbline = {
        .name = "plumbline",
        .title = "plumbline's simulated engine",
        .signs = signs,
        .version_path = "/version",
        .version_member = "version",
        .facts = facts,
        .abilities = ABILITY_ALL_LOGPROBS | ABILITY_TOOLS_LOGPROBS | ABILITY_STREAM_USAGE |
                     ABILITY_ID_PROMPT,
        .max_top = 20,
        .ask_ids = MEMBERS({"return_token_ids", "true"}),
        .ids_are_cut = true,
        .greedy_chat = GREEDY_COMMON,
        .greedy_completion = GREEDY_COMMON,
        .defaults_chat = SAMPLING_UNKNOWN,
        .defaults_completion = SAMPLING_UNKNOWN,
        .off = SAMPLING_OPENAI,
        .repetition_name = "repetition_penalty",
        .caching = {"cache_salt", NULL, NULL},
        .scoring = SCORING_PROMPT_LOGPROBS,
        .tokenizing = TOKENIZING_VLLM,
        .basis = LOGPROBS_UNKNOWN, /* --fault lists=… */
        .cautions = cautions,
};
