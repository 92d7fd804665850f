#pragma once
/*
 * traffic - how fast and how well backends answered, and what watching them cost: latency, errors, tokens.
 * A fold over leg_summary and times_row: rows may come in any order. Durations are microseconds.
 */
#include "analyzer/rows/rows.h"
#include "analyzer/stats/name_counts.h"
#include "base/histogram.h"

#define TRAFFIC_BACKENDS 16 /* told apart: the first in the alphabet */
#define TRAFFIC_PASSES 4096 /* of a backend: those of the smallest ids */

/* Answers of one pass (a suite, in a repeat) of one run. */
struct traffic_pass {
	struct id run;
	uint64_t number;
	uint64_t first_ns, last_ns; /* wall clock: the first answer's start, the last one's end */
	uint64_t complete, completion_tokens;
};

struct traffic_backend {
	char *name;
	/* Its first leg in the capture, and the role that it had there. */
	struct id first_exchange, first_leg;
	enum role role;
	uint64_t answers; /* of any end */
	uint64_t complete;
	uint64_t cut; /* by the client, or by our own shutdown: no failures */
	uint64_t streams;
	struct name_counts failed; /* by kind */
	uint64_t prompt_tokens, completion_tokens, cached_tokens;
	uint64_t without_usage; /* complete, but the answer does not count its tokens */
	uint64_t body_bytes;
	uint64_t busy_us; /* sum of the times that answers took */
	struct traffic_pass *passes;
	size_t n_passes;
	uint64_t beyond_passes; /* complete answers of passes without a place */
	/* Of complete answers: waiting for a place; first content (AIPerf's first token); last byte. */
	struct histogram queued, first_content, last_byte;
	/* As vLLM's benchmark defines them: of all complete answers, or of a sample. */
	struct histogram ttft, itl, tpot, e2e;
	uint64_t timed; /* answers that these are of, or would be if their events were known */
};

/* Parts of the primary's answers to chats and completions. */
enum traffic_part_name {
	TRAFFIC_INJECTED, /* the request was added to */
	TRAFFIC_UNINJECTED,
	TRAFFIC_MIRRORED, /* a copy was sent elsewhere */
	TRAFFIC_UNMIRRORED,
	N_TRAFFIC_PARTS,
};
struct traffic_part {
	uint64_t answers, failed;
	struct histogram first_content, last_byte; /* of complete ones */
};

struct traffic { /* zero-initialised is empty */
	struct traffic_backend *backends;
	size_t n_backends;
	uint64_t beyond; /* answers of yet other backends */
	struct traffic_part parts[N_TRAFFIC_PARTS];
};

void traffic_add(struct traffic *t, const struct leg_summary *leg);
void traffic_add_times(struct traffic *t, const struct times_row *row);
/* Once, after the last one: puts backends in the order in which the capture has them. */
void traffic_settle(struct traffic *t);
void traffic_finish(struct traffic *t);

/* In which it was asked, over its runs: targets that take turns wait for one another between passes. */
double traffic_seconds(const struct traffic_backend *b);
size_t traffic_runs(const struct traffic_backend *b);
/* Over these seconds; NaN: there are none. */
double traffic_answers_per_second(const struct traffic_backend *b);
double traffic_tokens_per_second(const struct traffic_backend *b);
