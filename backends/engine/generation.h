#pragma once
/*
 * generation - one choice of an answer, made token by token: text, reasoning, logprobs, and why it
 * ended.
 *
 * Text is released as soon as it is final: bytes of an incomplete character, and the possible start
 * of a stop string, are held back. One thread.
 */
#include <stdbool.h>
#include <stdint.h>

#include "backends/engine/ask.h"
#include "backends/engine/fault.h"
#include "backends/engine/language.h"
#include "backends/engine/chooser.h"

enum generation_finish {
	GENERATION_RUNNING,
	GENERATION_STOP,
	GENERATION_LENGTH,
	GENERATION_TOOL_CALLS
};

/* A generated (or echoed) token and its reported values. Natural logs; NAN: none (an echoed first
 * token). */
struct generation_row {
	uint32_t id;
	float logprob;
	uint32_t n_top;
	uint32_t top; /* index of its first alternative */
	bool reasoning;
};

/* A generation's text: content and reasoning separately; arguments of calls count as content. */
struct generation_text {
	struct buf bytes;
	size_t released;
	bool split; /* its last character was incomplete at the last release */
};

struct generation {
	const struct language *language;
	const struct ask *ask;
	const struct fault_set *faults;
	struct language_numerics numerics;
	struct language_state state;
	struct chooser chooser;
	/* For lists after temperature only: what they state. */
	struct chooser_rules tempered_how;
	struct chooser tempered;
	uint32_t index; /* of the choice */
	uint32_t forced_at;
	uint64_t mixed_with; /* hash of another prompt, read from token mixed_at on; 0: none */
	uint32_t mixed_at;
	const struct tokens *intruding; /* inserted after a few tokens of its own; NULL: nothing */
	uint32_t intruding_at;
	uint32_t n_tokens, n_reasoning;
	bool in_reasoning;
	bool tags; /* reasoning marks are written into the content */
	enum generation_finish finish;
	const char *stopped_by; /* the stop string, or NULL */
	struct generation_text content, reasoning;
	struct generation_row *rows;
	uint32_t n_rows, cap_rows;
	struct language_item *tops; /* logprobs in .logit */
	uint32_t n_tops, cap_tops;
	/* What the last token's row should have, for a server that reports it one token late. */
	struct {
		float logprob;
		struct language_item tops[ASK_TOP_MAX];
		uint32_t n;
	} late;
};

struct generation_options {
	bool tags;
	uint64_t seed; /* of the chooser */
	uint64_t noise_seed;
	double noise;        /* in addition to the faults' noise, standard deviation in nats */
	bool is_spoilt;      /* what the model had read is lost */
	uint64_t mixed_with; /* hash of another prompt, which replaces its own; 0: none */
	const struct tokens *intruding; /* must outlive the generation; NULL: nothing */
};

/* ask and faults must outlive the generation. With echo, the prompt is in rows and content
 * immediately. */
void generation_init(struct generation *g, const struct language *l, const struct ask *ask,
        uint32_t index, const struct fault_set *faults, const struct generation_options *options);
void generation_finish(struct generation *g);
/* Makes one token. Does nothing after the end. */
void generation_step(struct generation *g);
/* Additional noise from the next token on. */
void generation_disturb(struct generation *g, double noise);
/* Text that became final since the last call; valid until the next step. */
struct span generation_release(struct generation_text *t, struct generation *g);
