/* OpenAI's own service. From its documentation. */
#include "backends/dialects/dialects.h"

#define GREEDY                                                                                     \
	MEMBERS({"temperature", "0"}, {"top_p", "1"}, {"presence_penalty", "0"},                   \
	        {"frequency_penalty", "0"}, {"n", "1"})

static const struct sign signs[] = {
        {SIGN_HEADER, SIGN_CERTAIN, "v1/models", "openai-version", NULL},
        {SIGN_TEXT, SIGN_STRONG, "v1/models", NULL, "platform.openai.com"},
        {SIGN_MEMBER, SIGN_WEAK, "v1/models", "data.0.owned_by", "system"},
        {SIGN_MEMBER, SIGN_WEAK, "v1/models", "data.0.owned_by", "openai"},
        {SIGN_END},
};

static const char *const cautions[] = {
        "Members that it does not know are refused.",
        "Reasoning models take no temperature, top_p, penalties or logprobs.",
        "system_fingerprint may be absent. Then a change of the model behind a name may not be "
        "visible.",
        NULL,
};

#define EXTRAS                                                                                     \
	"model", "frequency_penalty", "logit_bias", "logprobs", "max_tokens", "n",                 \
	        "presence_penalty", "seed", "stop", "stream", "stream_options", "temperature",     \
	        "top_p", "user"

static const struct strict_models reasoning = {
        .prefixes = NAMES("o1", "o3", "o4", "gpt-5", "gpt-6"),
        .refused = NAMES("temperature", "top_p", "presence_penalty", "frequency_penalty",
                "logit_bias", "logprobs", "top_logprobs"),
        .renames = RENAMES({"max_tokens", "max_completion_tokens"}),
};

const struct dialect dialect_openai = {
        .name = "openai",
        .title = "OpenAI",
        .signs = signs,
        .abilities = ABILITY_ALL_LOGPROBS | ABILITY_ALL_TOOLS_LOGPROBS | ABILITY_STREAM_USAGE |
                     ABILITY_ID_PROMPT,
        .max_top = 20,
        .max_top_completion = 5,
        .greedy_chat = GREEDY,
        .greedy_completion = GREEDY,
        .allowed_chat = NAMES(EXTRAS, "messages", "audio", "function_call", "functions",
                "max_completion_tokens", "metadata", "modalities", "moderation",
                "parallel_tool_calls", "prediction", "prompt_cache_key", "prompt_cache_options",
                "prompt_cache_retention", "reasoning_effort", "response_format",
                "safety_identifier", "service_tier", "store", "tool_choice", "tools",
                "top_logprobs", "verbosity", "web_search_options"),
        .allowed_completion = NAMES(EXTRAS, "prompt", "best_of", "echo", "suffix"),
        .strict_models = &reasoning,
        .defaults_chat = SAMPLING_OPENAI,
        .defaults_completion = SAMPLING_OPENAI,
        .off = SAMPLING_OPENAI_ONLY,
        .default_max_tokens = 16,
        .default_max_tokens_chat = -1,
        .thinking_on = MEMBERS({"reasoning_effort", "\"medium\""}),
        .thinking_off = MEMBERS({"reasoning_effort", "\"none\""}),
        .scoring = SCORING_ECHO,
        .basis = LOGPROBS_RAW,
        .cautions = cautions,
};
