#pragma once
/*
 * generation - makes one choice of an answer token by token: text, reasoning, logprobs, and finish
 * reason.
 *
 * generation_release() gives text as soon as it cannot change: it holds back bytes of an incomplete
 * character, and what may be the start of a stop string. One thread.
 */
#include <stdbool.h>
#include <stdint.h>

#include "backends/engine/engine_request.h"
#include "backends/engine/fault.h"
#include "backends/engine/language.h"
#include "backends/engine/token_sampler.h"

enum generation_finish {
	GENERATION_RUNNING,
	GENERATION_STOP,
	GENERATION_LENGTH,
	GENERATION_TOOL_CALLS
};

/* A generated or echoed token, and its values as the answer reports them. Logprobs are natural
 * logarithms; NAN: none (the first echoed token, or without logprobs). */
struct generation_row {
	uint32_t id;
	float logprob;
	uint32_t n_top;
	uint32_t top; /* index of its first alternative */
	bool reasoning;
};

/* A text of the choice: content (with the arguments of calls), or reasoning. */
struct generation_text {
	struct buf bytes;
	size_t released; /* bytes that generation_release() has given */
	bool split;      /* at its last call, the last character was incomplete */
};

struct generation {
	const struct language *language;
	const struct engine_request *request;
	const struct fault_set *faults;
	struct language_numerics numerics;
	struct language_state state;
	struct token_sampler sampler;
	/* Computes lists of logprobs after temperature; unused without them. */
	struct token_sampler_rules tempered_rules;
	struct token_sampler tempered;
	uint32_t index;     /* index of the choice */
	uint32_t forced_at; /* index of the next token in request->forced */
	/* the fault "mixup": hash of another prompt, read from token mixed_at on; 0: none */
	uint64_t mixed_with;
	uint32_t mixed_at;
	/* the fault "crosstalk": tokens of another prompt, inserted after a few tokens; NULL:
	 * none. intruding_at: the index of the next one */
	const struct tokens *intruding;
	uint32_t intruding_at;
	uint32_t n_tokens, n_reasoning;
	bool in_reasoning;
	bool tags; /* the content has reasoning marks */
	enum generation_finish finish;
	const char *stopped_by; /* the stop string, or NULL */
	struct generation_text content, reasoning;
	struct generation_row *rows;
	uint32_t n_rows;
	size_t cap_rows;
	struct language_item *tops; /* alternatives of all rows; .logit has the logprob */
	uint32_t n_tops;
	size_t cap_tops;
	/* For a server that reports rows one token late: the values of the last token. */
	struct {
		float logprob;
		struct language_item tops[ENGINE_TOP_MAX];
		uint32_t n;
	} previous;
};

struct generation_options {
	bool tags;
	uint64_t seed; /* seed of the sampler */
	uint64_t noise_seed;
	double noise;        /* as in generation_disturb() */
	bool is_spoilt;      /* the model forgets what it has read */
	uint64_t mixed_with; /* hash of another prompt, which replaces its own; 0: none */
	const struct tokens *intruding; /* must outlive the generation; NULL: none */
};

/* l, request and faults must outlive the generation. With echo, content and, for logprobs, rows
 * begin with the prompt. */
void generation_init(struct generation *g, const struct language *l,
        const struct engine_request *request, uint32_t index, const struct fault_set *faults,
        const struct generation_options *options);
void generation_finish(struct generation *g);
/* Makes one token. Does nothing after the end of the choice. */
void generation_step(struct generation *g);
/* Sets the noise (standard deviation in nats) that is added to that of faults from now on. */
void generation_disturb(struct generation *g, double noise);
/* Returns what cannot change any more of t (g->content or g->reasoning), without what an earlier
 * call returned. Frees nothing. The span is valid until the next step. */
struct span generation_release(struct generation_text *t, struct generation *g);
