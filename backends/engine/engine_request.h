#pragma once
/*
 * engine_request - a request to the simulated engine, parsed and checked: what to generate.
 *
 * Spans point into the body, which must outlive the request. One thread.
 */
#include <stdbool.h>
#include <stdint.h>

#include "answers/request.h"
#include "backends/engine/engine_problem.h"
#include "backends/engine/token_sampler.h"
#include "backends/engine/vocabulary.h"
#include "base/buf.h"

#define ENGINE_TOP_MAX 20
#define ENGINE_N_MAX 128
#define ENGINE_PROMPTS_MAX 64
#define ENGINE_STOPS_MAX 16
#define ENGINE_STOP_LENGTH_MAX 512
#define ENGINE_TOKENS_MAX 131072 /* the most tokens of a prompt, and of an answer */

struct engine_options;

enum engine_tool_choice {
	ENGINE_TOOLS_AUTO,
	ENGINE_TOOLS_NONE,
	ENGINE_TOOLS_REQUIRED,
	ENGINE_TOOLS_NAMED
};

struct engine_request {
	enum endpoint endpoint; /* ENDPOINT_CHAT or ENDPOINT_COMPLETION */
	char *model;            /* NULL: not stated */
	bool stream, include_usage, echo, logprobs, ignore_eos, return_token_ids;
	bool think;  /* the answer begins with reasoning */
	int64_t top; /* alternatives per position */
	/* alternatives per position of the prompt, which is then scored, too; -1: not requested */
	int64_t prompt_top;
	/* max_tokens: the default if it was not stated */
	int64_t n, max_tokens, min_tokens;
	/* requests share the prefix cache only if their salts are equal; 0: not stated */
	uint64_t cache_salt;
	struct token_sampler_rules sampling;
	struct buf stops[ENGINE_STOPS_MAX];
	uint32_t n_stops;
	struct tokens prompts[ENGINE_PROMPTS_MAX];
	uint32_t n_prompts;
	struct span tools; /* the JSON array, or empty */
	struct span messages;
	enum engine_tool_choice tool_choice;
	char *tool_named;
	struct span schema; /* the schema in response_format, or empty */
	bool json_object;
	/* the function, if the answer is a tool call; else NULL */
	char *call_name;
	/* tokens that are written, not sampled: the call's arguments, or the constrained content */
	struct tokens forced;
};

/* Parses a body. False: *ret_problem says why. Call engine_request_finish() in either case. */
bool engine_request_parse(struct engine_request *request, enum endpoint endpoint, struct span body,
        const struct engine_options *options, struct engine_problem *ret_problem) MUST_CHECK;
void engine_request_finish(struct engine_request *request);
/* A hash of endpoint, prompts, n, max_tokens and seed. */
uint64_t engine_request_hash(const struct engine_request *request);
/* The prompt of the choice with this index: each prompt has n choices, one after another. */
const struct tokens *engine_request_prompt(const struct engine_request *request, uint32_t choice);
