#pragma once
/*
 * ask - a request to the simulated engine, read and checked: what to generate, and how.
 *
 * Spans point into the body, which must outlive the ask. One thread.
 */
#include <stdbool.h>
#include <stdint.h>

#include "backends/engine/chooser.h"
#include "backends/engine/vocabulary.h"
#include "base/buf.h"

#define ASK_TOP_MAX 20
#define ASK_N_MAX 128
#define ASK_PROMPTS_MAX 64
#define ASK_STOPS_MAX 16
#define ASK_STOP_LENGTH_MAX 512
#define ASK_TOKENS_MAX 131072 /* prompt and answer of one choice */

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
	int top;    /* alternatives a position */
	/* alternatives of the prompt's positions, which are then scored too; -1: not requested */
	int prompt_top;
	int64_t n, max_tokens, min_tokens; /* max_tokens -1: not stated */
	/* only equal salts share the prefix cache; 0: not stated */
	uint64_t cache_salt;
	struct chooser_rules sampling;
	struct buf stops[ASK_STOPS_MAX];
	uint32_t n_stops;
	struct tokens prompts[ASK_PROMPTS_MAX];
	uint32_t n_prompts;
	struct span tools; /* the array, or empty */
	struct span messages;
	enum ask_tool_choice tool_choice;
	char *tool_named;
	struct span schema; /* of response_format, or empty */
	bool json_object;
	/* A tool call instead of a text, made by schema.c. */
	char *call_name;
	struct buf call_arguments;
	struct tokens forced; /* tokens of the arguments, or of the constrained content */
};

/* False: *ret_problem says why. The ask must be finished in either case. */
bool ask_parse(struct ask *ask, enum ask_endpoint endpoint, struct span body,
        const struct engine_options *options, struct ask_problem *ret_problem) MUST_CHECK;
void ask_finish(struct ask *ask);
/* Equal for equal prompts, lengths and seeds. */
uint64_t ask_hash(const struct ask *ask);
/* A text or token-id prompt of completions, as the completions endpoint reads it. */
bool ask_prompt(struct ask *ask, struct span value, struct ask_problem *ret_problem) MUST_CHECK;
bool ask_fail(struct ask_problem *problem, int status, const char *param, const char *format, ...)
        PRINTF(4, 5);
/* True when the last user message wants a tool. */
bool ask_wants_tool(const struct ask *ask, const char *tool_name);
