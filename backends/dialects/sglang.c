/* SGLang. Read in the sources of 0.5.17. */
#include "backends/dialects/dialects.h"

/* top_k is off as -1; 0 is refused. */
#define GREEDY                                                                                     \
	MEMBERS({"temperature", "0"}, {"top_p", "1"}, {"top_k", "-1"}, {"min_p", "0"},             \
	        {"repetition_penalty", "1"}, {"presence_penalty", "0"},                            \
	        {"frequency_penalty", "0"})

static const struct sign signs[] = {
        {SIGN_MEMBER, SIGN_CERTAIN, "v1/models", "data.0.owned_by", "sglang"},
        {SIGN_MEMBER, SIGN_STRONG, "/model_info", "is_generation", NULL},
        {SIGN_MEMBER, SIGN_STRONG, "/get_model_info", "is_generation", NULL},
        {SIGN_END},
};

#define NOW "/server_info"
#define OLD "/get_server_info" /* of older releases */
#define EITHER(fact, member)                                                                       \
	{fact, NOW, NULL, member, NULL},                                                           \
	{                                                                                          \
		fact, OLD, NULL, member, NULL                                                      \
	}

static const struct fact_source facts[] = {
        EITHER("engine.version", "version"),
        {"model.context", "v1/models", NULL, "data.0.max_model_len", NULL},
        EITHER("model.source", "model_path"),
        EITHER("model.revision", "revision"),
        EITHER("model.tokenizer", "tokenizer_path"),
        EITHER("model.precision", "dtype"),
        EITHER("model.quantization", "quantization"),
        EITHER("sampling.source", "sampling_defaults"),
        EITHER("decoding.speculative", "speculative_algorithm"),
        EITHER("decoding.reasoning_parser", "reasoning_parser"),
        EITHER("decoding.tool_parser", "tool_call_parser"),
        EITHER("decoding.structured", "grammar_backend"),
        EITHER("serving.max_sequences", "max_running_requests"),
        EITHER("serving.max_batched_tokens", "chunked_prefill_size"),
        EITHER("serving.cache_type", "kv_cache_dtype"),
        EITHER("serving.cache_block", "page_size"),
        EITHER("serving.attention", "attention_backend"),
        EITHER("serving.tensor_parallel", "tp_size"),
        EITHER("serving.pipeline_parallel", "pp_size"),
        EITHER("serving.data_parallel", "dp_size"),
        EITHER("flag.*", ""),
        {NULL},
};

static const char *const cautions[] = {
        "Its /health generates a token, so plumbline does not request it.",
        "return_token_ids is refused in streams of chat.",
        "In a stream with several tokens an event the alternatives of the first are repeated.",
        "Logprobs of sampled answers are after temperature; scores of prompts are not.",
        "top_k 0 is refused: -1 switches it off.",
        "Unset sampling parameters of chat come from the model's generation_config.json; those of "
        "completions do not.",
        NULL,
};

const struct dialect dialect_sglang = {
        .name = "sglang",
        .title = "SGLang",
        .signs = signs,
        .version_path = "/server_info",
        .version_member = "version",
        .facts = facts,
        .abilities = ABILITY_ALL_LOGPROBS | ABILITY_ALL_TOOLS_LOGPROBS | ABILITY_STREAM_USAGE |
                     ABILITY_ID_PROMPT,
        .max_top = -1,
        .ask_ids = MEMBERS({"return_token_ids", "true"}),
        .ids_are_cut = true,
        .ask_ids_stream = (const struct member_edit[]){{NULL, NULL}},
        .greedy_chat = GREEDY,
        .greedy_completion = GREEDY,
        .rules = (const struct rule[]){{"top_k", 0, 0, "-1", false},
                {"repetition_penalty", -INFINITY, 0, NULL, true}, {NULL, 0, 0, NULL, false}},
        .defaults_chat = SAMPLING_BY_MODEL,
        .defaults_completion = SAMPLING_OPENAI,
        .off = {.temperature = 1,
                .top_p = 1,
                .top_k = -1,
                .min_p = 0,
                .repetition_penalty = 1,
                .presence_penalty = 0,
                .frequency_penalty = 0},
        .repetition_name = "repetition_penalty",
        .default_max_tokens = 16,
        .default_max_tokens_chat = -1,
        .thinking_on = THINKING_BY_TEMPLATE("true"),
        .thinking_off = THINKING_BY_TEMPLATE("false"),
        .scoring = SCORING_SGLANG,
        .tokenizing = {.tokenize = "/tokenize", .text_member = "prompt", .ids_member = "tokens"},
        .basis = LOGPROBS_AFTER_TEMPERATURE,
        .cautions = cautions,
};
