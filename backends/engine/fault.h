#pragma once
/*
 * fault - faults of the simulated engine, for the process (--fault) or for a request
 * (x-plumbline-fault: NAME[=VALUE][;NAME...]).
 *
 * `plumbline engine --help` describes each fault. A new one is an entry of `enum fault` and a row
 * of the table in fault.c. A fault acts through the hooks of its row, or where fault_on() or
 * fault_value() asks for it. Each file asks for the faults that change
 *
 *	generation.c        tokens or their lists
 *	generated_answer.c  a stream's events or their times
 *	delivery.c          head, framing or coding
 *	endpoints.c         the whole answer
 *	engine_client.c     the connection: slow, or to several servers
 *	batch_effects.c     an answer because of concurrent requests
 *
 * Pure; a set is a plain value.
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/buf.h"

struct engine_request;
struct language_numerics;
struct language_state;

#define FAULT_HEADER "x-plumbline-fault"

enum fault {
	/* faults on the wire */
	FAULT_REFUSE,
	FAULT_HANG,
	FAULT_STATUS,
	FAULT_500,
	FAULT_429,
	FAULT_REFUSE_LOGPROBS,
	FAULT_RESET,
	FAULT_CUT,
	FAULT_STALL,
	FAULT_FLOOD,
	FAULT_SLOW,
	FAULT_LATE,
	FAULT_TE_AND_CL,
	FAULT_TWO_CL,
	FAULT_HTTP10,
	FAULT_INTERIM,
	FAULT_GZIP,
	FAULT_NO_DONE,
	FAULT_ERROR,
	FAULT_COMMENTS,
	FAULT_CRLF,
	FAULT_LOSE_CHARACTERS,
	FAULT_SLOW_LOGPROBS,
	/* faults in the sampling and the prompt */
	FAULT_REPEAT_PENALTY,
	FAULT_PRESENCE_PENALTY,
	FAULT_FREQUENCY_PENALTY,
	FAULT_TEMPERATURE,
	FAULT_TOP_K,
	FAULT_TOP_P,
	FAULT_MIN_P,
	FAULT_CUTS,
	FAULT_FIXED_SEED,
	FAULT_ANSWER_CACHE,
	FAULT_BOS,
	FAULT_DROP_SYSTEM,
	FAULT_TEMPLATE,
	FAULT_TRUNCATE,
	FAULT_KEEP_STOP,
	/* faults in the model's numbers */
	FAULT_NOISE,
	FAULT_QUANTISE,
	FAULT_CONFIDENT,
	FAULT_LISTS,
	FAULT_END_TOKEN,
	FAULT_MISALIGNED,
	FAULT_KV,
	FAULT_SEED,
	/* effects of concurrent requests */
	FAULT_CACHE,
	FAULT_LOAD,
	FAULT_POISON,
	FAULT_CROSSTALK,
	FAULT_MIXUP,
	/* several servers behind one address */
	FAULT_REPLICAS,
	FAULTS,
};

/* Values of faults that take a word. */
enum fault_bos { FAULT_BOS_MISSING, FAULT_BOS_DOUBLE };
enum fault_cuts { FAULT_CUTS_BEFORE, FAULT_CUTS_AFTER };
enum fault_lists {
	FAULT_LISTS_RAW,
	FAULT_LISTS_TEMPERATURE,
	FAULT_LISTS_PROCESSED,
	FAULT_LISTS_MASKED,
};
enum fault_end_token { FAULT_END_TOKEN_UNLISTED, FAULT_END_TOKEN_ROW };

struct fault_set {
	uint64_t on; /* bit f: the fault f is on */
	/* durations in ns, sizes in bytes; for a word: its number in the enums above */
	double value[FAULTS];
};

static inline bool fault_on(const struct fault_set *set, enum fault f)
{
	return set->on & ((uint64_t)1 << f);
}

/* The fault's value, or fallback if the fault is off. */
double fault_value(const struct fault_set *set, enum fault f, double fallback);
/* Adds faults, written as "NAME[=VALUE][;NAME...]". False: *ret_problem, which the caller frees,
 * says what is wrong, and the set is unchanged. */
bool fault_parse(struct span text, struct fault_set *set, char **ret_problem) MUST_CHECK;
void fault_keep_only(struct fault_set *set, enum fault f); /* switches all others off */
/* Calls the hooks of faults that change the request. */
void fault_apply_to_request(const struct fault_set *set, struct engine_request *request);
/* Calls the hooks of faults that change what the model believes it has read. Call it at each
 * position, before the distribution is made. */
void fault_apply_to_state(const struct fault_set *set, struct language_state *state);
/* What the faults do to logits. */
struct language_numerics fault_numerics(const struct fault_set *set, uint64_t noise_seed);
void fault_help(FILE *to);
