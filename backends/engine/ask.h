#pragma once
/*
 * ask - a request to the simulated engine, parsed and checked: what to generate, and how.
 *
 * Spans point into the body, which must outlive the ask. One thread.
 */
#include <stdbool.h>
#include <stdint.h>

#include "backends/engine/token_sampler.h"
#include "backends/engine/vocabulary.h"
#include "base/buf.h"

#define ASK_TOP_MAX 20
#define ASK_N_MAX 128
#define ASK_PROMPTS_MAX 64
#define ASK_STOPS_MAX 16
#define ASK_STOP_LENGTH_MAX 512
#define ASK_TOKENS_MAX 131072 /* tokens of prompt and answer of one choice */

struct engine_options;

enum ask_endpoint { ASK_CHAT, ASK_COMPLETION };
enum ask_tool_choice { ASK_TOOLS_AUTO, ASK_TOOLS_NONE, ASK_TOOLS_REQUIRED, ASK_TOOLS_NAMED };

/* The content of OpenAI's error object. */
struct ask_problem {
	int status;
	char message[256];
	const char *param; /* static, or NULL */
};

struct ask {
	enum ask_endpoint endpoint;
	char *model; /* NULL: not stated */
	bool stream, include_usage, echo, logprobs, ignore_eos, return_token_ids;
	bool think; /* the answer begins with reasoning */
	int top;    /* alternatives per position */
	/* alternatives per position of the prompt, which is then scored, too; -1: not requested */
	int prompt_top;
	int64_t n, max_tokens, min_tokens; /* max_tokens -1: not stated */
	/* requests share the prefix cache only if their salts are equal; 0: not stated */
	uint64_t cache_salt;
	struct token_sampler_rules sampling;
	struct buf stops[ASK_STOPS_MAX];
	uint32_t n_stops;
	struct tokens prompts[ASK_PROMPTS_MAX];
	uint32_t n_prompts;
	struct span tools; /* the JSON array, or empty */
	struct span messages;
	enum ask_tool_choice tool_choice;
	char *tool_named;
	struct span schema; /* the schema in response_format, or empty */
	bool json_object;
	/* schema.c sets these if the answer is a tool call. */
	char *call_name;
	struct buf call_arguments;
	struct tokens forced; /* tokens of the call's arguments, or of the constrained content */
};

/* Parses a request. False: *ret_problem says why. Call ask_finish() in either case. */
bool ask_parse(struct ask *ask, enum ask_endpoint endpoint, struct span body,
        const struct engine_options *options, struct ask_problem *ret_problem) MUST_CHECK;
void ask_finish(struct ask *ask);
/* A hash, which is equal for equal prompts, limits of tokens and seeds. */
uint64_t ask_hash(const struct ask *ask);
/* Reads a completion's prompt: a text, or token ids. False: *ret_problem says why. */
bool ask_prompt(struct ask *ask, struct span value, struct ask_problem *ret_problem) MUST_CHECK;
/* Fills *problem and returns false. param: the member that is wrong; static, or NULL. */
bool ask_fail(struct ask_problem *problem, int status, const char *param, const char *format, ...)
        PRINTF(4, 5);
/* True if the last user message asks for this tool. */
bool ask_wants_tool(const struct ask *ask, const char *tool_name);
