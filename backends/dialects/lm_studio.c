/* LM Studio. From its documentation and its bug tracker. */
#include "backends/dialects/dialects.h"

#define GREEDY                                                                                     \
	MEMBERS({"temperature", "0"}, {"top_p", "1"}, {"top_k", "0"}, {"repeat_penalty", "1"},     \
	        {"presence_penalty", "0"}, {"frequency_penalty", "0"})

static const struct sign signs[] = {
        {SIGN_MEMBER, SIGN_STRONG, "v1/models", "data.0.owned_by", "organization_owner"},
        {SIGN_MEMBER, SIGN_CERTAIN, "/api/v0/models", "data.0.compatibility_type", NULL},
        {SIGN_END},
};

#define MODEL(fact, member)                                                                        \
	{                                                                                          \
		fact, "/api/v0/models", NULL, "data.0." member, NULL                               \
	}

static const struct fact_source facts[] = {
        MODEL("model.format", "compatibility_type"),
        MODEL("model.family", "arch"),
        MODEL("model.quantization", "quantization"),
        MODEL("model.source", "publisher"),
        MODEL("model.context", "loaded_context_length"),
        MODEL("model.context_trained", "max_context_length"),
        {NULL},
};

static const char *const cautions[] = {
        "It gives no logprobs: it can be compared by text only.",
        "Unset parameters come from each model's settings in the program's window, a repeat "
        "penalty of 1.1 among them.",
        NULL,
};

const struct dialect dialect_lm_studio = {
        .name = "lm-studio",
        .title = "LM Studio",
        .signs = signs,
        .facts = facts,
        .lists_installed = true,
        .abilities = ABILITY_STREAM_USAGE,
        .greedy_chat = GREEDY,
        .greedy_completion = GREEDY,
        .renames = RENAMES({"max_completion_tokens", "max_tokens"}),
        .defaults_chat = SAMPLING_UNKNOWN,
        .defaults_completion = SAMPLING_UNKNOWN,
        .off = SAMPLING_OPENAI,
        .repetition_name = "repeat_penalty",
        .thinking_on = MEMBERS({"reasoning_effort", "\"medium\""}),
        .thinking_off = MEMBERS({"reasoning_effort", "\"none\""}),
        .scoring = SCORING_NONE,
        .cautions = cautions,
};
