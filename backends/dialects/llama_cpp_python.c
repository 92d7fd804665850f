/* llama-cpp-python's server. Measured: 0.3.36. */
#include "backends/dialects/dialects.h"

#define GREEDY                                                                                     \
	MEMBERS({"temperature", "0"}, {"top_p", "1"}, {"min_p", "0"}, {"repeat_penalty", "1.0"},   \
	        {"presence_penalty", "0"}, {"frequency_penalty", "0"}, {"mirostat_mode", "0"})

static const struct sign signs[] = {
        {SIGN_MEMBER, SIGN_CERTAIN, "v1/models", "data.0.owned_by", "me"},
        {SIGN_MEMBER, SIGN_WEAK, "v1/models", "data.0.permissions", "[]"},
        {SIGN_HEADER, SIGN_WEAK, "v1/models", "openai-processing-ms", NULL},
        {SIGN_STARTS, SIGN_CERTAIN, "/openapi.json", "info.title",
                "\xf0\x9f\xa6\x99 llama.cpp Python API"},
        {SIGN_END},
};

static const struct fact_source facts[] = {
        {"model.file", "v1/models", NULL, "data.0.id", NULL},
        {NULL},
};

static const char *const cautions[] = {
        "It applies repeat_penalty 1.1 unless told otherwise: send repeat_penalty 1.0.",
        "A second request ends a running stream early, with a well-formed [DONE]. Send one request "
        "at a time, and only if nobody else uses the server.",
        "Streams with logprobs lose every character that takes several tokens, so plumbline "
        "requests none there.",
        "With logprobs an answer takes 5 to 20 times as long, since it sorts its vocabulary for "
        "each token.",
        "Logprobs on chat need both logprobs and top_logprobs, and a server with logits_all.",
        "Usage is never given in streams.",
        "max_tokens 0 means no limit; chat without messages is never answered.",
        "With a model that adds no BOS token, echoed logprobs are those of the next position.",
        "It refuses requests with a 500, after which many clients try again.",
        NULL,
};

#define DEFAULTS                                                                                   \
	{                                                                                          \
		.temperature = 0.8, .top_p = 0.95, .top_k = 40, .min_p = 0.05,                     \
		.repetition_penalty = 1.1, .presence_penalty = 0, .frequency_penalty = 0           \
	}

const struct dialect dialect_llama_cpp_python = {
        .name = "llama-cpp-python",
        .title = "llama-cpp-python",
        .signs = signs,
        .version_path = "/openapi.json",
        .version_member = "info.version",
        .facts = facts,
        /* No logprobs in streams, though the server provides them: it then drops every character
         * that consists of several tokens. */
        .abilities = ABILITY_CHAT_LOGPROBS | ABILITY_COMPLETION_LOGPROBS | ABILITY_TOOLS_LOGPROBS |
                     ABILITY_ONE_AT_A_TIME,
        .logprobs_harm = "it takes 5 to 20 times as long",
        .max_top = -1,
        .greedy_chat = GREEDY,
        .greedy_completion = GREEDY,
        .renames = RENAMES({"max_completion_tokens", "max_tokens"}),
        .refuses_null = true,
        .defaults_chat = DEFAULTS,
        .defaults_completion = DEFAULTS,
        .off = SAMPLING_OPENAI,
        .repetition_name = "repeat_penalty",
        .default_max_tokens = 16,
        .default_max_tokens_chat = -1,
        .scoring = SCORING_ECHO,
        .tokenizing = {.tokenize = "/extras/tokenize",
                .text_member = "input",
                .ids_member = "tokens"},
        .echo_shifts_without_bos = true,
        .basis = LOGPROBS_RAW,
        .cautions = cautions,
};
