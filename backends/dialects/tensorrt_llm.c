/* TensorRT-LLM's trtllm-serve. Read in the sources of 2026. */
#include "backends/dialects/dialects.h"

#define GREEDY                                                                                     \
	MEMBERS({"temperature", "0"}, {"top_p", "1"}, {"min_p", "0"}, {"repetition_penalty", "1"}, \
	        {"presence_penalty", "0"}, {"frequency_penalty", "0"})

static const struct sign signs[] = {
        {SIGN_MEMBER, SIGN_CERTAIN, "v1/models", "data.0.owned_by", "tensorrt_llm"},
        {SIGN_MEMBER, SIGN_WEAK, "/version", "version", NULL},
        {SIGN_END},
};

static const char *const cautions[] = {
        "A member that it does not know is refused, within tools and stream_options too.",
        "max_tokens and max_completion_tokens must not both be sent.",
        "reasoning_effort unset means low.",
        "Releases of about 1.0 and 1.1 refuse logprobs on /v1/completions.",
        NULL,
};

#define COMMON                                                                                     \
	"model", "frequency_penalty", "logit_bias", "logprobs", "max_tokens", "n",                 \
	        "presence_penalty", "seed", "stop", "stream", "stream_options", "temperature",     \
	        "top_p", "user", "best_of", "use_beam_search", "top_k", "top_p_min", "min_p",      \
	        "repetition_penalty", "length_penalty", "early_stopping", "stop_token_ids",        \
	        "include_stop_str_in_output", "ignore_eos", "min_tokens", "skip_special_tokens",   \
	        "spaces_between_special_tokens", "truncate_prompt_tokens", "echo",                 \
	        "add_special_tokens", "response_format"

const struct dialect dialect_tensorrt_llm = {
        .name = "tensorrt-llm",
        .title = "TensorRT-LLM",
        .signs = signs,
        .version_path = "/version",
        .version_member = "version",
        .abilities = ABILITY_CHAT_LOGPROBS | ABILITY_CHAT_STREAM_LOGPROBS |
                     ABILITY_ALL_TOOLS_LOGPROBS | ABILITY_STREAM_USAGE | ABILITY_ID_PROMPT,
        .max_top = 20,
        .greedy_chat = GREEDY,
        .greedy_completion = GREEDY,
        .allowed_chat = NAMES(COMMON, "messages", "prompt_token_ids", "top_logprobs",
                "max_completion_tokens", "tools", "tool_choice", "parallel_tool_calls",
                "reasoning_effort", "thinking", "thinking_token_budget", "add_generation_prompt",
                "documents", "chat_template", "chat_template_kwargs", "media_io_kwargs",
                "mm_processor_kwargs", "cache_salt", "priority"),
        .allowed_completion = NAMES(COMMON, "prompt", "detokenize", "return_context_logits"),
        .renames = RENAMES({"max_completion_tokens", "max_tokens"}),
        .rules = (const struct rule[]){{"top_k", -INFINITY, -1, "0", false},
                {NULL, 0, 0, NULL, false}},
        .refuses_null = true,
        .defaults_chat = SAMPLING_BY_MODEL,
        .defaults_completion = SAMPLING_BY_MODEL,
        .off = SAMPLING_OPENAI,
        .repetition_name = "repetition_penalty",
        .default_max_tokens = -1,
        .default_max_tokens_chat = -1,
        .thinking_on = THINKING_BY_TEMPLATE("true"),
        .thinking_off = THINKING_BY_TEMPLATE("false"),
        .caching = {"cache_salt", NULL, NULL},
        .scoring = SCORING_NONE,
        .basis = LOGPROBS_RAW,
        .cautions = cautions,
};
