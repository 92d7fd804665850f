#pragma once
/*
 * request - what a client requested, as far as the proxy and the analyzer need it: facts from the
 * request's JSON in one pass, and the hashes that identify its prompt and session.
 *
 * Pure. Works on the raw body and never fails; what is not JSON is reported as such.
 */
#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "answers/calls/offered.h"

/* The numbers are part of the capture format. */
enum endpoint {
	ENDPOINT_OTHER,       /* forwarded, not understood */
	ENDPOINT_CHAT,        /* path ends in /chat/completions */
	ENDPOINT_COMPLETION,  /* path ends in /completions */
	ENDPOINT_RESPONSES,   /* /responses: OpenAI's Responses API */
	ENDPOINT_EMBEDDING,   /* /embeddings; Ollama's /api/embed and /api/embeddings */
	ENDPOINT_MESSAGES,    /* /v1/messages: Anthropic's; recorded as bytes, not read */
	ENDPOINT_NATIVE_CHAT, /* /api/chat: Ollama's own */
	/* An engine's own form of a prompt: /api/generate (Ollama), /completion (llama.cpp),
	 * /generate and /generate_stream (SGLang, TGI, LMDeploy). */
	ENDPOINT_NATIVE_GENERATE,
	N_ENDPOINTS,
};

/* By the end of the path. The query does not count, a trailing slash does. */
enum endpoint endpoint_of(struct span method, struct span target);
const char *endpoint_name(enum endpoint e); /* "chat", "completion", "responses", ..., "other" */
/* Chat and completion: the endpoints of injection, alignment and, by default, the mirror. */
bool endpoint_is_openai(enum endpoint e);

#define REQUEST_UNSET_NUMBER NAN

/* Names under which a request sets its repetition penalty. */
#define REQUEST_REPETITION_PENALTY (1u << 0)
#define REQUEST_REPEAT_PENALTY (1u << 1)

struct request_facts {
	bool is_json;    /* the whole body is one JSON object */
	char model[256]; /* unescaped, cut to fit; empty if absent */
	/* There is one member "model", a string that fits. Otherwise an engine may use another
	 * name. */
	bool model_is_whole;
	bool stream;
	/* The client set logprobs (not null or false), top_logprobs or n_probs. */
	bool has_logprobs;
	/* as requested (chat: top_logprobs, completion: logprobs), or -1 */
	int64_t top_logprobs;
	/* The client set return_token_ids or return_prompt_token_ids; not in a record. */
	bool has_token_ids;
	bool has_stream_options; /* the member is present, even if null */
	bool include_usage;      /* stream_options.include_usage is true */
	bool has_tools;
	struct offered offered; /* not in a record */
	bool stateful;          /* previous_response_id, background: true, store: true */
	/* Decoding parameters as the client set them; NaN where unset or null. */
	double temperature, top_p, top_k, min_p, presence_penalty, frequency_penalty,
	        repetition_penalty;
	/* An engine uses one of the two names and ignores the other. If both are set,
	 * repetition_penalty has the value set under its own name. repeat_penalty is valid if
	 * penalty_names has its bit. No bits: unknown (facts from a record). */
	unsigned penalty_names;
	double repeat_penalty;
	int64_t seed; /* valid if has_seed */
	bool has_seed;
	int64_t n;           /* choices; 1 when unset */
	int64_t max_tokens;  /* max_completion_tokens or max_tokens, -1 when unset */
	uint32_t n_messages; /* chat */
};

/* Reads the facts of one body. Endpoint OTHER reads model and stream only. */
void request_read(enum endpoint endpoint, struct span body, struct request_facts *ret);

#define REQUEST_HASH_SIZE 16

/*
 * Keyed BLAKE2b-128 over the canonical form (docs/format.md). All zero where the request has none.
 *
 * prompt:  messages or prompt, tools, tool_choice, response_format
 *
 * chain:   all messages; a later turn of the conversation has this value as its parent
 *
 * parent:  the chain of the messages before the last assistant message that is followed by another
 * role: the chain of the turn before
 *
 * session: the chain of the first messages, up to the first user message
 */
struct request_hashes {
	uint8_t prompt[REQUEST_HASH_SIZE];
	uint8_t parent[REQUEST_HASH_SIZE];
	uint8_t session[REQUEST_HASH_SIZE];
	uint8_t chain[REQUEST_HASH_SIZE];
};
/* The most bytes that request_hash() uses while it runs. */
size_t request_hash_room(struct span body);
/* False: not one JSON object, or an endpoint that is not understood; all hashes are then zero. */
bool request_hash(enum endpoint endpoint, struct span body, const uint8_t key[32],
        struct request_hashes *ret) MUST_CHECK;
