/* Ollama. Measured: 0.17.4. */
#include "backends/dialects/dialects.h"

/* top_k, min_p and the repeat penalty have no names on /v1. */
#define GREEDY                                                                                     \
	MEMBERS({"temperature", "0"}, {"top_p", "1"}, {"presence_penalty", "0"},                   \
	        {"frequency_penalty", "0"}, {"seed", "0"})

static const struct sign signs[] = {
        {SIGN_TEXT, SIGN_CERTAIN, "/", NULL, "Ollama is running"},
        {SIGN_MEMBER, SIGN_STRONG, "/api/version", "version", NULL},
        {SIGN_MEMBER, SIGN_WEAK, "v1/models", "data.0.owned_by", "library"},
        {SIGN_TEXT, SIGN_WEAK, "/version", NULL, "404 page not found"},
        {SIGN_END},
};

#define SHOW "/api/show", "{\"model\":\"$MODEL\"}"

static const struct fact_source facts[] = {
        {"model.format", SHOW, "details.format", NULL},
        {"model.family", SHOW, "details.family", NULL},
        {"model.parameters", SHOW, "details.parameter_size", NULL},
        {"model.quantization", SHOW, "details.quantization_level", NULL},
        {"model.template", SHOW, "template", NULL},
        {"model.context", SHOW, "parameters:num_ctx", NULL},
        {"model.context_trained", SHOW, "model_info.*.context_length", NULL},
        {"sampling.top_k", SHOW, "parameters:top_k", NULL},
        {"sampling.min_p", SHOW, "parameters:min_p", NULL},
        {"sampling.repetition_penalty", SHOW, "parameters:repeat_penalty", NULL},
        {"sampling.presence_penalty", SHOW, "parameters:presence_penalty", NULL},
        {"sampling.frequency_penalty", SHOW, "parameters:frequency_penalty", NULL},
        {NULL},
};

static const char *const cautions[] = {
        "The repeat penalty, top_k and min_p can't be set on /v1: only the Modelfile (PARAMETER "
        "repeat_penalty 1.0) or the native routes do.",
        "The built-in repeat penalty is 1.1 before 0.33.",
        "A prompt longer than num_ctx silently loses its oldest messages.",
        "/v1/completions accepts logprobs and gives none.",
        "Logprobs with tools are refused by some versions.",
        "max_tokens 0 is never answered.",
        NULL,
};

/* The Modelfile may set others. */
static const struct sampling defaults_native = {.temperature = 0.8,
        .top_p = 0.9,
        .top_k = 40,
        .min_p = 0,
        .repetition_penalty = NAN,
        .presence_penalty = 0,
        .frequency_penalty = 0};

const struct dialect dialect_ollama = {
        .name = "ollama",
        .title = "Ollama",
        .signs = signs,
        .fingerprint = "fp_ollama",
        .default_tag = ":latest",
        .lists_installed = true,
        .version_path = "/api/version",
        .version_member = "version",
        .facts = facts,
        .abilities = ABILITY_CHAT_LOGPROBS | ABILITY_CHAT_STREAM_LOGPROBS | ABILITY_STREAM_USAGE,
        .max_top = 20,
        .greedy_chat = GREEDY,
        .greedy_completion = GREEDY,
        .renames = RENAMES({"max_completion_tokens", "max_tokens"}),
        /* Temperature and top_p are always set on /v1, whatever the Modelfile says. */
        .defaults_chat = {.temperature = 1,
                .top_p = 1,
                .top_k = 40,
                .min_p = 0,
                .repetition_penalty = NAN,
                .presence_penalty = 0,
                .frequency_penalty = 0},
        .defaults_completion = {.temperature = 1,
                .top_p = 1,
                .top_k = 40,
                .min_p = 0,
                .repetition_penalty = NAN,
                .presence_penalty = 0,
                .frequency_penalty = 0},
        .defaults_native = &defaults_native,
        .off = SAMPLING_OPENAI_ONLY,
        .default_max_tokens = -1,
        .default_max_tokens_chat = -1,
        .thinking_on = MEMBERS({"reasoning_effort", "\"medium\""}),
        .thinking_off = MEMBERS({"reasoning_effort", "\"none\""}),
        .scoring = SCORING_NONE,
        .basis = LOGPROBS_RAW,
        .cautions = cautions,
};
