#pragma once
/*
 * Shared by the dialects' files: the names of all dialects, and values that many engines have in
 * common. Only those files include it.
 */
#include <math.h>
#include <stddef.h>

#include "backends/dialect.h"

extern const struct dialect dialect_litellm, dialect_llama_cpp, dialect_llama_cpp_python,
        dialect_lm_studio, dialect_lmdeploy, dialect_mlx_lm, dialect_ollama, dialect_openai,
        dialect_openrouter, dialect_plumbline, dialect_scorer, dialect_sglang, dialect_tensorrt_llm,
        dialect_tgi, dialect_transformers, dialect_vllm, dialect_vllm_mlx;

/* Parameters of an engine with unknown defaults. */
#define SAMPLING_UNKNOWN                                                                           \
	{                                                                                          \
		.temperature = NAN, .top_p = NAN, .top_k = NAN, .min_p = NAN,                      \
		.repetition_penalty = NAN, .presence_penalty = NAN, .frequency_penalty = NAN       \
	}

/* The defaults of the OpenAI API. */
#define SAMPLING_OPENAI                                                                            \
	{                                                                                          \
		.temperature = 1, .top_p = 1, .top_k = 0, .min_p = 0, .repetition_penalty = 1,     \
		.presence_penalty = 0, .frequency_penalty = 0                                      \
	}

/* Sampling defaults come from the model's generation_config.json, which the engine does not show;
 * penalties are off unless that file sets them, which is rare. */
#define SAMPLING_BY_MODEL                                                                          \
	{                                                                                          \
		.temperature = NAN, .top_p = NAN, .top_k = NAN, .min_p = NAN,                      \
		.repetition_penalty = 1, .presence_penalty = 0, .frequency_penalty = 0             \
	}

#define ABILITY_ALL_LOGPROBS                                                                       \
	(ABILITY_CHAT_LOGPROBS | ABILITY_CHAT_STREAM_LOGPROBS | ABILITY_COMPLETION_LOGPROBS |      \
	        ABILITY_COMPLETION_STREAM_LOGPROBS)
#define ABILITY_ALL_TOOLS_LOGPROBS (ABILITY_TOOLS_LOGPROBS | ABILITY_TOOLS_STREAM_LOGPROBS)

/* Members of member_edit lists. */
#define MEMBERS(...)                                                                               \
	(const struct member_edit[])                                                               \
	{                                                                                          \
		__VA_ARGS__,                                                                       \
		{                                                                                  \
			NULL, NULL                                                                 \
		}                                                                                  \
	}
#define NAMES(...)                                                                                 \
	(const char *const[])                                                                      \
	{                                                                                          \
		__VA_ARGS__, NULL                                                                  \
	}

#define THINKING_BY_TEMPLATE(on) MEMBERS({"chat_template_kwargs", "{\"enable_thinking\":" on "}"})
