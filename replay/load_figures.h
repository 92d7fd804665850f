#pragma once
/*
 * load_figures - what a replay measured, by the definitions of vLLM's benchmark and of AIPerf
 * (docs/replay.md).
 *
 * Times are clock_mono() ns unless stated otherwise; histograms hold microseconds. One thread.
 */
#include <stdbool.h>
#include <stdint.h>

#include "answers/pulse.h"
#include "base/error_tally.h"
#include "base/histogram.h"

/* Limits of goodput, microseconds; 0: none. */
struct load_figures_goals {
	uint64_t ttft_us, tpot_us, e2el_us;
};

/* The state of an open loop at the last update before it stopped sending. Requests that were
 * due, but are neither sent nor waiting, could not be sent. */
struct load_figures_offer {
	double seconds;   /* how long requests were sent at the rate */
	uint64_t due;     /* requests that were due */
	uint64_t waiting; /* due requests that wait for an earlier turn or a free slot */
	uint64_t crowded; /* waiting requests that lack only a free slot */
	uint64_t lacking; /* scheduled times for which the source had no request left */
};

struct load_figures {
	struct load_figures_goals goals;
	uint64_t began;           /* start of the first replay */
	uint64_t resumed;         /* start of the latest replay, if there are several in a row */
	uint64_t last_end;        /* end of the last answer */
	uint64_t busy;            /* duration of the earlier replays up to their last answers, ns */
	uint64_t sent, completed; /* requests that were sent; answers that did not fail */
	uint64_t warm_up;         /* answers of the warm-up; no other figure counts them */
	uint64_t good;            /* completed answers within all goals */
	/* completed answers that lack a figure which has a goal; `good` does not count them */
	uint64_t ungauged;
	uint64_t without_usage;              /* completed answers that state no token counts */
	uint64_t streams;                    /* completed answers that are streams */
	int64_t input_tokens, output_tokens; /* sums of the usage that answers state */
	uint64_t retried;                    /* requests sent again without the added fields */
	struct error_tally retries;          /* retries of refused requests, by reason */
	/* sends that could not be written to the progress file; after a crash, a resumed replay
	 * would send them twice */
	uint64_t unlogged;
	uint64_t paused;          /* how often a closed loop waited 2 ms for the recorder */
	unsigned in_flight, peak; /* requests in flight now; the most at one time */
	struct load_figures_offer offer;
	struct error_tally failed;         /* failed answers, by reason */
	struct error_tally warm_up_failed; /* failed answers of the warm-up, by reason */
	/* answers that plumbline cancelled on purpose; no other figure counts them */
	uint64_t cancelled;
	/* sent requests that were not delivered and must be sent again (no connection;
	 * interrupted) */
	uint64_t undone;
	/* completed answers that were compared with the recorded ones, and how many differ */
	uint64_t compared, differing;
	struct histogram common; /* length of the common beginning of answers that differ, bytes */
	/* Measured from the time of sending, as vLLM's benchmark does. */
	struct histogram ttft, itl, tpot, e2el;
	/* Measured from the intended time of sending. */
	struct histogram ttft_intended, e2el_intended, queue;
	/* AIPerf's figures where they differ from vLLM's. */
	struct histogram first_token, first_output, mean_itl, request_latency;
	struct histogram lag; /* how late plumbline sent, by its schedule */
	/* Events with choices (as vLLM counts tokens) in each second since `began`. */
	uint32_t *tokens_by_second;
	size_t n_seconds;
	uint64_t unthought; /* later turns whose recorded think time was requested but is unknown */
	uint64_t blocked;   /* sends that waited for a turn or a slot; `lag` leaves them out */
};

struct load_figures_answer {
	uint64_t intended, sent, ended;
	bool warm_up;
	const char *failure; /* NULL: completed */
	bool cancelled;      /* plumbline cancelled it on purpose */
	bool resting;        /* it waited for a retry, so it was not in flight */
	const struct pulse *pulse;
};

/* Counts one sent request. timed: `due` is the time that the schedule set. blocked: it waited
 * for a turn or a slot. */
void load_figures_sent(
        struct load_figures *f, bool timed, bool blocked, uint64_t due, uint64_t now);
/* load_figures_rest(): the engine refused a request, which now waits for a retry.
 * load_figures_retry(): the request is sent again, for this reason. */
void load_figures_rest(struct load_figures *f);
void load_figures_retry(struct load_figures *f, const char *why);
void load_figures_answer(struct load_figures *f, const struct load_figures_answer *a);
/* Call before the first request, and again before the first request of each further replay. */
void load_figures_begin(struct load_figures *f, uint64_t now);
/* Drops everything that was measured so far. */
void load_figures_restart(struct load_figures *f, uint64_t now);
/* Adds the figures of `from`, which does not change. Goals and offer of f stay. */
void load_figures_merge(struct load_figures *f, const struct load_figures *from);
/* The number of successful answers, including those of the warm-up. */
uint64_t load_figures_answered(const struct load_figures *f);
/* The number of failed answers, including those of the warm-up. */
uint64_t load_figures_failed(const struct load_figures *f);
/* The most events with choices in one second. */
uint32_t load_figures_most_tokens(const struct load_figures *f);
/* The duration of all replays so far in seconds, up to the last answer. */
double load_figures_seconds(const struct load_figures *f);
/* n divided by load_figures_seconds(); 0 if that is 0. */
double load_figures_per_second(const struct load_figures *f, double n);
/* The quantile q (0 to 1), mean and standard deviation of a histogram, in milliseconds; NaN: it
 * has no values. */
double load_figures_quantile_ms(const struct histogram *h, double q);
double load_figures_mean_ms(const struct histogram *h);
double load_figures_deviation_ms(const struct histogram *h);
/* True if the schedule was so late that the times describe this machine rather than the engine. */
bool load_figures_are_late(const struct load_figures *f);
void load_figures_finish(struct load_figures *f);
