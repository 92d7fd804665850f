#pragma once
/*
 * engine - the simulated engine: an OpenAI-compatible server with a language model whose
 * distributions are known exactly.
 *
 *	endpoints         chooses what answers a request
 *	generated_answer  a *turn*: one request of a client, and the making of its answer
 *	generation        one choice of the answer, token by token
 *	canned            answers that are made before the first request
 *	playback          a recorded answer, sent again
 *	engine_request    the request for text, parsed
 *	answer_json       the answer as JSON
 *	delivery          the answer as HTTP, with faults on the wire
 *	engine_client     a client's connection
 *
 * Each worker is a thread with its own loop and listener. The data that workers share is made
 * before they start; of this data only the turns of recorded_answers change.
 */
#include <stdbool.h>
#include <stdint.h>

#include "backends/engine/fault.h"
#include "base/json_writer.h"

/* "logprobs" in answers to requests without logprobs: null, or absent. */
enum engine_unasked { ENGINE_UNASKED_NULL, ENGINE_UNASKED_ABSENT };
enum engine_reasoning {
	ENGINE_REASONING_NONE,
	ENGINE_REASONING_FIELD,   /* message.reasoning */
	ENGINE_REASONING_CONTENT, /* message.reasoning_content */
	ENGINE_REASONING_TAGS,    /* <think>…</think> in the content */
};
enum engine_ids { ENGINE_IDS_RANDOM, ENGINE_IDS_CONTENT };

struct engine_options {
	const char *host; /* a numeric address, or "localhost" */
	uint16_t port;    /* 0: any */
	uint64_t seed;    /* of the model's distributions */
	/* of all draws that differ from request to request; 0: a new seed at each start */
	uint64_t random_seed;
	const char *model;
	bool strict_model; /* requests with another model get 404 */
	uint32_t workers;
	/* the most answers that a worker makes at one time; other requests wait */
	uint32_t max_batch;
	uint64_t ttft_ns, itl_ns; /* ns to the first token, and between tokens; 0: no delay */
	double jitter;            /* standard deviation of the logarithm of each delay */
	bool canned;
	int64_t default_max_tokens; /* of chats; completions: 16 */
	enum engine_unasked logprobs_unasked;
	enum engine_reasoning reasoning;
	enum json_style json;
	enum engine_ids ids;
	bool token_ids;                /* logprobs have ids, as those of llama.cpp */
	bool prefix_cache;             /* there is a prefix cache, and usage has cached tokens */
	bool fresh_noise;              /* noise differs from request to request */
	struct fault_set faults;       /* faults of every request */
	struct recorded_answers *tape; /* the recorded answers to serve; NULL: generate */
	double speed;                  /* of recorded answers; 1: as recorded; 0: without delay */
};

void engine_options_init(struct engine_options *o);

/*
 * Listens, prints "listening on HOST:PORT" to standard output, and serves. Blocks until SIGTERM or
 * SIGINT, and then returns NULL. If it cannot serve, returns a sentence that says why.
 */
char *engine_run(const struct engine_options *options) MUST_CHECK;
