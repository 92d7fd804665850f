#pragma once
/*
 * traffic - latency, errors and tokens of backends, and what mirroring and adding logprobs cost. A
 * fold over leg_summary and times_row: rows may come in any order. Durations are microseconds.
 */
#include "analyzer/rows/rows.h"
#include "analyzer/stats/name_counts.h"
#include "base/histogram.h"

/* the most backends that are counted separately; if there are more, the first ones in
 * alphabetical order */
#define TRAFFIC_BACKENDS 16
/* the most passes of a backend; if there are more, the first ones by the id of their run */
#define TRAFFIC_PASSES 4096

struct traffic_pass {
	struct id run;
	uint64_t number; /* leg_summary.pass */
	/* wall clock: the start of the first leg, the end of the last one */
	uint64_t first_ns, last_ns;
	/* complete: complete answers; completion_tokens: the tokens that these answers state */
	uint64_t complete, completion_tokens;
};

struct traffic_backend {
	char *name;
	/* its first leg in the capture, and the role of this leg */
	struct id first_exchange, first_leg;
	enum role role;
	uint64_t answers; /* all answers, complete or not */
	uint64_t complete;
	uint64_t cut;              /* answers with LEG_END_CUT: no failures */
	uint64_t streams;          /* complete answers that are streams */
	struct name_counts failed; /* failed answers, by kind of failure */
	/* sums of the usage that complete answers state */
	uint64_t prompt_tokens, completion_tokens, cached_tokens;
	uint64_t without_usage; /* complete answers without token counts */
	uint64_t body_bytes;
	uint64_t busy_us; /* sum of the durations of all answers */
	struct traffic_pass *passes;
	size_t n_passes;
	uint64_t beyond_passes; /* complete answers of passes beyond the limit */
	/* Over complete answers. queued: time in plumbline's queue; first_content, last_byte: time
	 * from sending the request to this event. */
	struct histogram queued, first_content, last_byte;
	/* As vLLM's benchmark defines them, over the complete answers; in large captures, over a
	 * sample of these (leg_times_wanted()). */
	struct histogram ttft, itl, tpot, e2e;
	uint64_t timed; /* answers of the sample, including those whose events are unknown */
};

/* Parts of the primary's answers to clients' chats and completions, without cut answers. Each
 * answer is in one of the first two parts and in one of the last two. */
enum traffic_part_name {
	TRAFFIC_INJECTED, /* the proxy added members for logprobs or usage to the request */
	TRAFFIC_UNINJECTED,
	TRAFFIC_MIRRORED, /* the proxy sent a copy to another backend */
	TRAFFIC_UNMIRRORED,
	N_TRAFFIC_PARTS,
};
struct traffic_part {
	uint64_t answers, failed;
	struct histogram first_content, last_byte; /* over complete answers */
};

struct traffic { /* zero-initialised: empty */
	struct traffic_backend *backends;
	size_t n_backends;
	uint64_t beyond; /* answers of backends beyond the limit */
	struct traffic_part parts[N_TRAFFIC_PARTS];
	/* For each enum leg_lists, over complete answers: the natural logarithm of the
	 * microseconds per token. Of a stream, neither the first token nor the time before it
	 * counts. */
	struct moments paces[N_LEG_LISTS];
};

void traffic_add(struct traffic *t, const struct leg_summary *leg);
void traffic_add_times(struct traffic *t, const struct times_row *row);
bool traffic_has_backend(const struct traffic *t, const char *name);
/* Sorts backends by their first leg in the capture. Call once, after the last row. */
void traffic_settle(struct traffic *t);
void traffic_finish(struct traffic *t);

/* The seconds during which a pass was running, over all runs of the backend. Time that several
 * passes of a run share counts once. The time between passes does not count, because targets that
 * take turns wait for each other. */
double traffic_seconds(const struct traffic_backend *b);
size_t traffic_runs(const struct traffic_backend *b);
/* Complete answers, and their tokens, per second of traffic_seconds(); NaN: that is 0. */
double traffic_answers_per_second(const struct traffic_backend *b);
double traffic_tokens_per_second(const struct traffic_backend *b);

/* How many times as long a token takes with lists of the kind `of` as with lists of the kind
 * `against`: the ratio of geometric means. The interval is Welch's for the difference of the
 * logarithms. */
struct traffic_ratio {
	double ratio;
	struct interval ci; /* 95 % */
};
struct traffic_ratio traffic_list_ratio(
        const struct traffic *t, enum leg_lists of, enum leg_lists against);
