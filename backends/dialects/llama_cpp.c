/* llama.cpp's server. Read in the sources of b10470. */
#include "backends/dialects/dialects.h"

/* Reusing the prompt cache changes batch shapes and so the last bits of logits. Mirostat ignores
 * the temperature. */
#define GREEDY                                                                                     \
	MEMBERS({"temperature", "0"}, {"top_k", "0"}, {"top_p", "1"}, {"min_p", "0"},              \
	        {"typical_p", "1"}, {"top_n_sigma", "-1"}, {"repeat_penalty", "1"},                \
	        {"repeat_last_n", "0"}, {"presence_penalty", "0"}, {"frequency_penalty", "0"},     \
	        {"dry_multiplier", "0"}, {"xtc_probability", "0"}, {"mirostat", "0"},              \
	        {"dynatemp_range", "0"}, {"adaptive_target", "-1"}, {"cache_prompt", "false"})

static const struct sign signs[] = {
        {SIGN_MEMBER, SIGN_CERTAIN, "v1/models", "data.0.owned_by", "llamacpp"},
        {SIGN_HEADER, SIGN_CERTAIN, "v1/models", "server", "llama.cpp"},
        {SIGN_MEMBER, SIGN_CERTAIN, "/props", "build_info", NULL},
        {SIGN_MEMBER, SIGN_STRONG, "/props", "default_generation_settings", NULL},
        {SIGN_END},
};

#define PROPS(fact, member)                                                                        \
	{                                                                                          \
		fact, "/props", NULL, member, NULL                                                 \
	}
#define PARAMS "default_generation_settings.params."

static const struct fact_source facts[] = {
        PROPS("engine.build", "build_info"),
        PROPS("model.file", "model_path"),
        PROPS("model.context", "default_generation_settings.n_ctx"),
        PROPS("model.template", "chat_template"),
        PROPS("model.bos", "bos_token"),
        PROPS("model.eos", "eos_token"),
        {"model.context_trained", "v1/models", NULL, "data.0.meta.n_ctx_train", NULL},
        {"model.parameters", "v1/models", NULL, "data.0.meta.n_params", NULL},
        {"model.vocabulary", "v1/models", NULL, "data.0.meta.n_vocab", NULL},
        {"model.quantization", "v1/models", NULL, "data.0.meta.ftype", NULL},
        PROPS("sampling.temperature", PARAMS "temperature"),
        PROPS("sampling.top_p", PARAMS "top_p"),
        PROPS("sampling.top_k", PARAMS "top_k"),
        PROPS("sampling.min_p", PARAMS "min_p"),
        PROPS("sampling.repetition_penalty", PARAMS "repeat_penalty"),
        PROPS("sampling.presence_penalty", PARAMS "presence_penalty"),
        PROPS("sampling.frequency_penalty", PARAMS "frequency_penalty"),
        PROPS("sampling.max_tokens", PARAMS "n_predict"),
        PROPS("serving.max_sequences", "total_slots"),
        {NULL},
};

static const char *const cautions[] = {
        "Unset parameters are temperature 0.8, top_k 40, top_p 0.95, min_p 0.05.",
        "Logprobs with tools in a stream are refused; n_probs is not.",
        "Logprobs of drafted tokens (speculative decoding) are 0.0.",
        "A token that ends inside a character has no entry of its own.",
        "The model's name in a request is ignored.",
        "While a model is loading every path answers 503.",
        NULL,
};

#define DEFAULTS                                                                                   \
	{                                                                                          \
		.temperature = 0.8, .top_p = 0.95, .top_k = 40, .min_p = 0.05,                     \
		.repetition_penalty = 1, .presence_penalty = 0, .frequency_penalty = 0             \
	}

const struct dialect dialect_llama_cpp = {
        .name = "llama.cpp",
        .title = "llama.cpp server",
        .signs = signs,
        .version_path = "/props",
        .version_member = "build_info",
        .facts = facts,
        .abilities = ABILITY_ALL_LOGPROBS | ABILITY_TOOLS_LOGPROBS | ABILITY_STREAM_USAGE |
                     ABILITY_ID_PROMPT,
        .max_top = -1,
        .ask_tools = MEMBERS({"n_probs", "$TOP"}),
        .greedy_chat = GREEDY,
        .greedy_completion = GREEDY,
        .rules = (const struct rule[]){{"repeat_last_n", -INFINITY, -1, NULL, true},
                {NULL, 0, 0, NULL, false}},
        .defaults_chat = DEFAULTS,
        .defaults_completion = DEFAULTS,
        .off = SAMPLING_OPENAI,
        .repetition_name = "repeat_penalty",
        .default_max_tokens = -1,
        .default_max_tokens_chat = -1,
        .thinking_on = THINKING_BY_TEMPLATE("true"),
        .thinking_off = THINKING_BY_TEMPLATE("false"),
        .caching = {"cache_prompt", "false", "true"},
        .scoring = SCORING_NONE,
        .tokenizing = {.tokenize = "/tokenize",
                .text_member = "content",
                .ids_member = "tokens",
                .template_path = "/apply-template",
                .template_member = "prompt"},
        .basis = LOGPROBS_RAW,
        .cautions = cautions,
};
