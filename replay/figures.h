#pragma once
/*
 * figures - what a replay measured, by the definitions of vLLM's benchmark and of AIPerf
 * (docs/replay.md).
 *
 * Times of an answer are clock_mono() ns; histograms hold microseconds. One thread.
 */
#include <stdbool.h>
#include <stdint.h>

#include "answers/pulse.h"
#include "base/error_tally.h"
#include "base/histogram.h"

/* Limits of goodput, microseconds; 0: none. */
struct figures_goals {
	uint64_t ttft_us, tpot_us, e2el_us;
};

/* The state of an open loop at the last update before it stopped sending. Due requests that are
 * neither counted as sent nor as waiting are requests that could not be sent. */
struct figures_offer {
	double seconds;   /* how long the rate was requested */
	uint64_t due;     /* requests that were due */
	uint64_t waiting; /* of these, waiting for an earlier turn or a free slot */
	uint64_t crowded; /* of the waiting ones, those that wait for a slot */
	uint64_t lacking; /* scheduled times for which the source had no request left */
};

struct figures {
	struct figures_goals goals;
	uint64_t began;    /* clock_mono() ns */
	uint64_t resumed;  /* start of the latest of several consecutive replays, clock_mono() ns */
	uint64_t last_end; /* end of the last answer */
	uint64_t busy;     /* duration of the earlier replays up to their last answers, ns */
	uint64_t sent, completed;
	uint64_t warm_up; /* warm-up answers: in no other figure */
	uint64_t good;    /* completed within all goals */
	/* completed, but lacks a figure that has a goal: not counted as good */
	uint64_t ungauged;
	uint64_t without_usage; /* completed, but the answer states no token counts */
	uint64_t streams;
	int64_t input_tokens, output_tokens;
	uint64_t retried;           /* sent again without the added fields */
	struct error_tally retries; /* retries of refused requests, by reason */
	/* sends that could not be written to the progress file: after a crash they would be sent
	 * twice */
	uint64_t unnoted;
	uint64_t paused; /* how often a closed loop waited 2 ms for the recorder */
	unsigned in_flight, peak;
	struct figures_offer offer;
	struct error_tally failed;
	struct error_tally warm_up_failed; /* of warm_up */
	uint64_t cancelled;                /* cancelled on purpose; in no other figure */
	/* of `sent`: not delivered, still to be sent (no connection; interrupted) */
	uint64_t undone;
	/* completed answers that were compared with the recorded ones, and how many differ */
	uint64_t compared, differing;
	struct histogram common; /* length of the common beginning of answers that differ, bytes */
	/* Measured from sending, as vLLM's benchmark does. */
	struct histogram ttft, itl, tpot, e2el;
	/* Measured from the intended time. */
	struct histogram ttft_intended, e2el_intended, queue;
	/* AIPerf's figures where they differ from vLLM's. */
	struct histogram first_token, first_output, mean_itl, request_latency;
	struct histogram lag; /* how late the schedule itself was */
	/* Events with choices (as vLLM counts tokens) in each second since `began`. */
	uint32_t *tokens_by_second;
	size_t n_seconds;
	uint64_t unthought; /* later turns whose recorded think time was requested but is unknown */
	uint64_t blocked;   /* sends that waited for a turn or a slot; their lag does not count */
};

struct figures_answer {
	uint64_t intended, sent, ended;
	bool warm_up;
	const char *failure; /* NULL: completed */
	bool cancelled;      /* plumbline cancelled it, as a client would */
	bool resting;        /* it waited between two tries, so it was not in flight */
	const struct pulse *pulse;
};

/* timed: the schedule set the time `due`. */
void figures_sent(struct figures *f, bool timed, bool blocked, uint64_t due, uint64_t now);
/* figures_rest(): the request was refused and waits for a retry. figures_retry(): it is sent again,
 * for this reason. */
void figures_rest(struct figures *f);
void figures_retry(struct figures *f, const char *why);
void figures_answer(struct figures *f, const struct figures_answer *a);
/* Call before the first request, and again before the first request of each further replay. */
void figures_begin(struct figures *f, uint64_t now);
/* Drops all that was measured so far. */
void figures_restart(struct figures *f, uint64_t now);
/* Adds what was measured in `from`, which does not change. Goals and offer stay. */
void figures_merge(struct figures *f, const struct figures *from);
/* Successful answers, with those of the warm-up. */
uint64_t figures_answered(const struct figures *f);
/* Failed answers, with those of the warm-up. */
uint64_t figures_failed(const struct figures *f);
/* The most events with choices in one second. */
uint32_t figures_most_tokens(const struct figures *f);
double figures_seconds(const struct figures *f);
/* n divided by the duration; 0 if there is no duration. */
double figures_per_second(const struct figures *f, double n);
/* In milliseconds; NaN without values. */
double figures_quantile_ms(const struct histogram *h, double q);
double figures_mean_ms(const struct histogram *h);
double figures_deviation_ms(const struct histogram *h);
/* True if the schedule was so late that the times describe this machine rather than the engine. */
bool figures_spoilt(const struct figures *f);
void figures_finish(struct figures *f);
