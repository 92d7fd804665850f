/* Text Generation Inference. Read in the sources of 3.3.7. */
#include "backends/dialects/dialects.h"

/*
 * Greedy only with temperature 0 and no other sampling parameter: any top_p below 1 enables
 * sampling again, and 1 is refused. presence_penalty x becomes a repetition penalty of 2 + x, also
 * for 0.
 */
#define GREEDY                                                                                     \
	MEMBERS({"temperature", "0"}, {"frequency_penalty", "0"}, {"top_p", NULL},                 \
	        {"top_k", NULL}, {"typical_p", NULL}, {"presence_penalty", NULL})

static const struct sign signs[] = {
        {SIGN_MEMBER, SIGN_CERTAIN, "/info", "router", "text-generation-router"},
        {SIGN_MEMBER, SIGN_STRONG, "/info", "max_best_of", NULL},
        {SIGN_MEMBER, SIGN_WEAK, "/info", "docker_label", NULL},
        {SIGN_END},
};

#define INFO(fact, member)                                                                         \
	{                                                                                          \
		fact, "/info", NULL, member, NULL                                                  \
	}

static const struct fact_source facts[] = {
        INFO("engine.build", "sha"),
        INFO("hardware.container", "docker_label"),
        INFO("model.source", "model_id"),
        INFO("model.revision", "model_sha"),
        INFO("model.precision", "model_dtype"),
        INFO("model.context", "max_total_tokens"),
        INFO("serving.max_sequences", "max_batch_size"),
        INFO("serving.max_batched_tokens", "max_batch_total_tokens"),
        INFO("flag.*", ""),
        {NULL},
};

static const char *const cautions[] = {
        "top_logprobs over --max-top-n-tokens (5) is refused.",
        "top_p 1 is refused; presence_penalty 0 becomes a repetition penalty of 2.",
        "Logprobs are after penalties and sampling's cuts; /v1/completions gives none.",
        "The model's name must be tgi, or TGI looks for an adapter of that name.",
        "Prompts are scored only with --enable-prefill-logprobs.",
        NULL,
};

const struct dialect dialect_tgi = {
        .name = "tgi",
        .title = "Text Generation Inference",
        .signs = signs,
        .version_path = "/info",
        .version_member = "version",
        .facts = facts,
        .abilities = ABILITY_CHAT_LOGPROBS | ABILITY_CHAT_STREAM_LOGPROBS |
                     ABILITY_ALL_TOOLS_LOGPROBS | ABILITY_STREAM_USAGE,
        .max_top = 5,
        .greedy_chat = GREEDY,
        .greedy_completion = GREEDY,
        .renames = RENAMES({"max_completion_tokens", "max_tokens"}),
        .rules = (const struct rule[]){{"top_p", 1, INFINITY, NULL, false},
                {"presence_penalty", 0, 0, NULL, false},
                {"presence_penalty", -INFINITY, INFINITY, NULL, true}, {NULL, 0, 0, NULL, false}},
        .defaults_chat = SAMPLING_OPENAI,
        .defaults_completion = SAMPLING_OPENAI,
        .off = {.temperature = 1,
                .top_p = 1,
                .top_k = NAN,
                .min_p = NAN,
                .repetition_penalty = NAN,
                .presence_penalty = NAN,
                .frequency_penalty = 0},
        .default_max_tokens = -1,
        .default_max_tokens_chat = -1,
        .scoring = SCORING_TGI,
        .basis = LOGPROBS_PROCESSED,
        .cautions = cautions,
};
