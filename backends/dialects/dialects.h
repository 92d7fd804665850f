#pragma once
/*
 * dialects - the names of all dialects, and values that many engines have in common. Only the files
 * of this directory include it.
 */
#include <math.h>
#include <stddef.h>

#include "backends/dialects/dialect.h"

/* All dialects, in the order in which documents list them, generic last. A new one gets a row. */
#define DIALECTS(X)                                                                                \
	X(vllm)                                                                                    \
	X(sglang)                                                                                  \
	X(llama_cpp)                                                                               \
	X(llama_cpp_python)                                                                        \
	X(ollama)                                                                                  \
	X(transformers)                                                                            \
	X(mlx_lm)                                                                                  \
	X(vllm_mlx)                                                                                \
	X(lmdeploy)                                                                                \
	X(tgi)                                                                                     \
	X(tensorrt_llm)                                                                            \
	X(lm_studio)                                                                               \
	X(openai)                                                                                  \
	X(litellm)                                                                                 \
	X(openrouter)                                                                              \
	X(scorer)                                                                                  \
	X(plumbline)                                                                               \
	X(generic)
#define DECLARE(name) extern const struct dialect dialect_##name;
DIALECTS(DECLARE)
#undef DECLARE

#define SAMPLING_UNKNOWN                                                                           \
	{                                                                                          \
		.temperature = NAN, .top_p = NAN, .top_k = NAN, .min_p = NAN,                      \
		.repetition_penalty = NAN, .presence_penalty = NAN, .frequency_penalty = NAN       \
	}

#define SAMPLING_OPENAI                                                                            \
	{                                                                                          \
		.temperature = 1, .top_p = 1, .top_k = 0, .min_p = 0, .repetition_penalty = 1,     \
		.presence_penalty = 0, .frequency_penalty = 0                                      \
	}

/* Of an engine that has the parameters of the OpenAI API and no others. */
#define SAMPLING_OPENAI_ONLY                                                                       \
	{                                                                                          \
		.temperature = 1, .top_p = 1, .top_k = NAN, .min_p = NAN,                          \
		.repetition_penalty = NAN, .presence_penalty = 0, .frequency_penalty = 0           \
	}

/* For an engine whose defaults come from the model's generation_config.json, which it does not
 * show. Penalties are off unless that file sets them, which is rare. */
#define SAMPLING_BY_MODEL                                                                          \
	{                                                                                          \
		.temperature = NAN, .top_p = NAN, .top_k = NAN, .min_p = NAN,                      \
		.repetition_penalty = 1, .presence_penalty = 0, .frequency_penalty = 0             \
	}

#define ABILITY_ALL_LOGPROBS                                                                       \
	(ABILITY_CHAT_LOGPROBS | ABILITY_CHAT_STREAM_LOGPROBS | ABILITY_COMPLETION_LOGPROBS |      \
	        ABILITY_COMPLETION_STREAM_LOGPROBS)
#define ABILITY_ALL_TOOLS_LOGPROBS (ABILITY_TOOLS_LOGPROBS | ABILITY_TOOLS_STREAM_LOGPROBS)

#define MEMBERS(...)                                                                               \
	(const struct member_edit[])                                                               \
	{                                                                                          \
		__VA_ARGS__,                                                                       \
		{                                                                                  \
			NULL, NULL                                                                 \
		}                                                                                  \
	}
#define GREEDY_OPENAI                                                                              \
	MEMBERS({"temperature", "0"}, {"top_p", "1"}, {"presence_penalty", "0"},                   \
	        {"frequency_penalty", "0"})
/* Of an engine that also has the parameters that most engines add to the OpenAI API. */
#define GREEDY_COMMON                                                                              \
	MEMBERS({"temperature", "0"}, {"top_p", "1"}, {"top_k", "0"}, {"min_p", "0"},              \
	        {"repetition_penalty", "1"}, {"presence_penalty", "0"},                            \
	        {"frequency_penalty", "0"})
#define RENAMES(...)                                                                               \
	(const struct rename[])                                                                    \
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
#define TOKENIZING_VLLM                                                                            \
	{                                                                                          \
		.tokenize = "/tokenize", .text_member = "prompt", .ids_member = "tokens",          \
		.messages_member = "messages"                                                      \
	}
