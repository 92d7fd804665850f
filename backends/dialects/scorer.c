/* plumbline-scorer: a Hugging Face model in fp32 with logprobs of the whole vocabulary. It uses
 * vLLM's API. */
#include "backends/dialects/dialects.h"

static const struct sign signs[] = {
        {SIGN_MEMBER, SIGN_CERTAIN, "v1/models", "data.0.owned_by", "plumbline-scorer"},
        {SIGN_END},
};

static const struct fact_source facts[] = {
        {"model.source", "v1/models", NULL, "data.0.root", NULL},
        {"model.context", "v1/models", NULL, "data.0.max_model_len", NULL},
        {NULL},
};

const struct dialect dialect_scorer = {
        .name = "plumbline-scorer",
        .title = "plumbline's reference scorer",
        .signs = signs,
        .version_path = "/version",
        .version_member = "version",
        .facts = facts,
        .abilities = ABILITY_ALL_LOGPROBS | ABILITY_ALL_TOOLS_LOGPROBS | ABILITY_STREAM_USAGE |
                     ABILITY_ID_PROMPT,
        .max_top = -1,
        .ask_ids = MEMBERS({"return_token_ids", "true"}),
        .ids_are_cut = true,
        .greedy_chat = GREEDY_COMMON,
        .greedy_completion = GREEDY_COMMON,
        .defaults_chat = SAMPLING_OPENAI,
        .defaults_completion = SAMPLING_OPENAI,
        .off = SAMPLING_OPENAI,
        .repetition_name = "repetition_penalty",
        .default_max_tokens = 16,
        .default_max_tokens_chat = -1,
        .scoring = SCORING_PROMPT_LOGPROBS,
        .tokenizing = TOKENIZING_VLLM,
        .basis = LOGPROBS_RAW,
};
