#pragma once
/*
 * request - what a client requested, as far as the proxy and the analyzer need it: facts that one
 * pass over the request's JSON finds, and the hashes that identify its prompt and session.
 *
 * Pure. Works on the raw body and never fails: a body that is not JSON has is_json = false.
 */
#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "answers/calls/offered.h"

/* The numbers are part of the capture format. */
enum endpoint {
	ENDPOINT_OTHER,       /* any other path or method: forwarded, not read */
	ENDPOINT_CHAT,        /* path ends in /chat/completions */
	ENDPOINT_COMPLETION,  /* path ends in /completions */
	ENDPOINT_RESPONSES,   /* /responses: OpenAI's Responses API */
	ENDPOINT_EMBEDDING,   /* /embeddings; Ollama's /api/embed and /api/embeddings */
	ENDPOINT_MESSAGES,    /* /v1/messages, Anthropic's: recorded as bytes, not read */
	ENDPOINT_NATIVE_CHAT, /* /api/chat: Ollama's own */
	/* Prompts in an engine's own form: /api/generate (Ollama), /completion (llama.cpp),
	 * /generate and /generate_stream (SGLang, TGI, LMDeploy). */
	ENDPOINT_NATIVE_GENERATE,
	N_ENDPOINTS,
};

/* Decides by the end of the path, ignoring the query. A path with a trailing slash is another path.
 * Any method except POST: ENDPOINT_OTHER. */
enum endpoint endpoint_of(struct span method, struct span target);
const char *endpoint_name(enum endpoint e); /* "chat", "completion", "responses", ..., "other" */
/* True for chat and completion: the endpoints of injection, alignment and, by default, the
 * mirror. */
bool endpoint_is_openai(enum endpoint e);

/* The names under which a request can set its repetition penalty. */
enum penalty_name {
	PENALTY_REPETITION, /* "repetition_penalty" */
	PENALTY_REPEAT,     /* "repeat_penalty" */
	PENALTY_REP_PEN,    /* "rep_pen" */
	N_PENALTY_NAMES,
};
extern const char *const PENALTY_NAMES[N_PENALTY_NAMES + 1]; /* NULL ends the list */
/* N_PENALTY_NAMES: it is no such name. */
enum penalty_name penalty_name_of(const char *name);

struct request_facts {
	bool is_json;    /* the whole body is one JSON object */
	char model[256]; /* unescaped, cut to fit; empty if absent */
	/* The body has exactly one member "model", a string that fits here. Otherwise an engine
	 * may use another name. */
	bool model_is_whole;
	bool stream; /* at /api/chat also if the member is absent: Ollama's default */
	/* The client asked for logprobs: logprobs or top_logprobs (neither null nor false), or the
	 * endpoint's own member for it. */
	bool has_logprobs;
	/* the number requested (chat: top_logprobs, completion: logprobs), or -1 */
	int64_t top_logprobs;
	/* The client set return_token_ids or return_prompt_token_ids. Not stored in a record. */
	bool has_token_ids;
	bool has_stream_options; /* the member is present, even if null */
	bool include_usage;      /* stream_options.include_usage is true */
	bool has_tools;
	struct offered offered; /* not stored in a record */
	/* previous_response_id, conversation, background: true, or store: true */
	bool stateful;
	/* Decoding parameters as the client set them; NaN where unset or null. temperature is 0 for
	 * do_sample: false. */
	double temperature, top_p, top_k, min_p, presence_penalty, frequency_penalty,
	        repetition_penalty;
	/* An engine uses one of the names of a repetition penalty and ignores the others.
	 * penalties has the value under each name; repetition_penalty is that of the first name in
	 * PENALTY_NAMES that is set. penalties[n] is valid if penalty_names has the bit 1 << n. No
	 * bits: none is set, or unknown (facts from a record). */
	unsigned penalty_names;
	double penalties[N_PENALTY_NAMES];
	/* valid if has_seed; above INT64_MAX: the negative number with the same bits */
	int64_t seed;
	bool has_seed;
	int64_t n;           /* choices; 1 when unset */
	int64_t max_tokens;  /* max_completion_tokens or max_tokens; -1 when unset */
	uint32_t n_messages; /* chat; Responses: elements of the input */
};

/* Reads the facts of one body. For ENDPOINT_OTHER it reads only model and stream. */
void request_read(enum endpoint endpoint, struct span body, struct request_facts *ret);

#define REQUEST_HASH_SIZE 16

/*
 * Hashes of parts of the request: keyed BLAKE2b-128 over their canonical form (docs/format.md). All
 * zero if the request does not have the part.
 *	prompt   messages or prompt, tools, tool_choice, response_format
 *	chain    all messages
 *	parent   all messages before the last answer that another role follows: `chain` of the
 *	         previous turn. An answer is one assistant message, or several in a row
 *	session  the first messages, up to the first user message
 */
struct request_hashes {
	uint8_t prompt[REQUEST_HASH_SIZE];
	uint8_t parent[REQUEST_HASH_SIZE];
	uint8_t session[REQUEST_HASH_SIZE];
	uint8_t chain[REQUEST_HASH_SIZE];
};
/* The most bytes that request_hash() allocates while it runs. */
size_t request_hash_room(struct span body);
/* False: the body is not one JSON object, or plumbline does not read this endpoint. All hashes
 * are then zero. */
bool request_hash(enum endpoint endpoint, struct span body, const uint8_t key[32],
        struct request_hashes *ret) MUST_CHECK;
