#pragma once
/*
 * engine - the simulated engine: an OpenAI-compatible server whose model's distributions are
 * exactly known.
 *
 * Glossary
 *	caller      a client's connection
 *	turn        one request on it, and the answer that is made for it
 *	ask         the request as read
 *	generation  one choice of the answer, token by token
 *	phrasing    the answer as JSON
 *	delivery    the answer as HTTP, with faults of the wire
 *	canned      answers made before the first request
 *
 * One thread a worker, each with its own loop and listener. What they share is made before they
 * start and never changes.
 */
#include <stdbool.h>
#include <stdint.h>

#include "backends/engine/fault.h"

enum engine_unasked { ENGINE_UNASKED_NULL, ENGINE_UNASKED_ABSENT };
/* A null usage in stream events without usage: never, always, or if the client requested usage
 * (OpenAI). */
enum engine_usage { ENGINE_USAGE_ABSENT, ENGINE_USAGE_NULL, ENGINE_USAGE_WHEN_ASKED };
enum engine_reasoning {
	ENGINE_REASONING_NONE,
	ENGINE_REASONING_FIELD,   /* message.reasoning */
	ENGINE_REASONING_CONTENT, /* message.reasoning_content */
	ENGINE_REASONING_TAGS,    /* <think>…</think> in the content */
};
enum engine_json { ENGINE_JSON_COMPACT, ENGINE_JSON_SPACED, ENGINE_JSON_ASCII };
enum engine_ids { ENGINE_IDS_RANDOM, ENGINE_IDS_CONTENT };

struct engine_options {
	const char *host;
	uint16_t port; /* 0: any */
	uint64_t seed;
	const char *model;
	bool strict_model; /* other names get 404 */
	uint32_t workers;
	uint32_t max_batch;       /* concurrent turns of a worker */
	uint64_t ttft_ns, itl_ns; /* 0: no delay */
	double jitter;            /* standard deviation of the logarithm of each delay */
	bool canned;
	int64_t default_max_tokens; /* of chats */
	enum engine_unasked logprobs_unasked;
	enum engine_usage usage_null;
	enum engine_reasoning reasoning;
	enum engine_json json;
	enum engine_ids ids;
	bool token_ids;          /* ids in the logprobs, as llama.cpp has them */
	bool prefix_cache;       /* usage has cached tokens */
	bool fresh_noise;        /* noise differs from request to request */
	struct fault_set faults; /* of every request */
	struct tape *tape;       /* serve recorded answers only; NULL: generate */
	double speed;            /* of recorded answers; 0: without delay */
};

void engine_options_init(struct engine_options *o);

/*
 * Listens, prints "listening on HOST:PORT" to standard output, and serves until SIGTERM or SIGINT.
 * Returns NULL, or why it cannot; the caller frees it. options must outlive the call.
 */
char *engine_run(const struct engine_options *options) MUST_CHECK;
