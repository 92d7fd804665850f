/* vLLM. Measured: 0.32.0; the rest read in its sources. */
#include "backends/dialects/dialects.h"

#define GREEDY                                                                                     \
	MEMBERS({"temperature", "0"}, {"top_p", "1"}, {"top_k", "0"}, {"min_p", "0"},              \
	        {"repetition_penalty", "1"}, {"presence_penalty", "0"},                            \
	        {"frequency_penalty", "0"}, {"n", "1"}, {"min_tokens", "0"}, {"logit_bias", NULL})

static const struct sign signs[] = {
        {SIGN_MEMBER, SIGN_CERTAIN, "v1/models", "data.0.owned_by", "vllm"},
        {SIGN_MEMBER, SIGN_WEAK, "v1/models", "data.0.max_model_len", NULL},
        {SIGN_MEMBER, SIGN_WEAK, "/version", "version", NULL},
        {SIGN_END},
};

#define INFO "/server_info?config_format=json" /* with VLLM_SERVER_DEV_MODE=1 only */
#define CONFIG "vllm_config."
#define METRICS "/metrics"
#define CACHE(label) "vllm:cache_config_info{" label "}"

static const struct fact_source facts[] = {
        {"model.source", "v1/models", NULL, "data.0.root", NULL},
        {"model.context", "v1/models", NULL, "data.0.max_model_len", NULL},
        {"model.precision", INFO, NULL, CONFIG "model_config.dtype", NULL},
        {"model.quantization", INFO, NULL, CONFIG "model_config.quantization", NULL},
        {"model.revision", INFO, NULL, CONFIG "model_config.revision", NULL},
        {"model.tokenizer", INFO, NULL, CONFIG "model_config.tokenizer", NULL},
        {"decoding.logprobs", INFO, NULL, CONFIG "model_config.logprobs_mode", NULL},
        {"sampling.source", INFO, NULL, CONFIG "model_config.generation_config", NULL},
        {"serving.max_sequences", INFO, NULL, CONFIG "scheduler_config.max_num_seqs", NULL},
        {"serving.max_batched_tokens", INFO, NULL, CONFIG "scheduler_config.max_num_batched_tokens",
                NULL},
        {"serving.tensor_parallel", INFO, NULL, CONFIG "parallel_config.tensor_parallel_size",
                NULL},
        {"serving.pipeline_parallel", INFO, NULL, CONFIG "parallel_config.pipeline_parallel_size",
                NULL},
        {"serving.data_parallel", INFO, NULL, CONFIG "parallel_config.data_parallel_size", NULL},
        {"serving.prefix_cache", METRICS, NULL, NULL, CACHE("enable_prefix_caching")},
        {"serving.cache_type", METRICS, NULL, NULL, CACHE("cache_dtype")},
        {"serving.cache_block", METRICS, NULL, NULL, CACHE("block_size")},
        {"serving.cache_blocks", METRICS, NULL, NULL, CACHE("num_gpu_blocks")},
        {"decoding.speculative", METRICS, NULL, NULL, "vllm:spec_decode_num_drafts_total"},
        {NULL},
};

static const char *const cautions[] = {
        "Temperature, top_p, top_k and a repetition penalty that are left unset come from the "
        "model's generation_config.json, unless it was started with --generation-config vllm.",
        "Penalties act at temperature 0 too.",
        "A reasoning or tool parser drops streamed logprobs unless return_token_ids is sent.",
        "top_logprobs over --max-logprobs (20) is refused.",
        NULL,
};

const struct dialect dialect_vllm = {
        .name = "vllm",
        .title = "vLLM",
        .signs = signs,
        .fingerprint = "vllm-",
        .version_path = "/version",
        .version_member = "version",
        .facts = facts,
        .abilities = ABILITY_ALL_LOGPROBS | ABILITY_ALL_TOOLS_LOGPROBS | ABILITY_STREAM_USAGE |
                     ABILITY_ID_PROMPT,
        .max_top = 20,
        .ask_ids = MEMBERS({"return_token_ids", "true"}),
        .ids_are_cut = true,
        .greedy_chat = GREEDY,
        .greedy_completion = GREEDY,
        .defaults_chat = SAMPLING_BY_MODEL,
        .defaults_completion = SAMPLING_BY_MODEL,
        .off = SAMPLING_OPENAI,
        .repetition_name = "repetition_penalty",
        .default_max_tokens = 16,
        .default_max_tokens_chat = -1,
        .thinking_on = THINKING_BY_TEMPLATE("true"),
        .thinking_off = THINKING_BY_TEMPLATE("false"),
        .caching = {"cache_salt", NULL, NULL},
        .scoring = SCORING_PROMPT_LOGPROBS,
        .tokenizing = TOKENIZING_VLLM,
        .basis = LOGPROBS_RAW_BY_DEFAULT,
        .cautions = cautions,
};
