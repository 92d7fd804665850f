#pragma once
/*
 * load_figures - what a replay measured, by the definitions of vLLM's benchmark and of AIPerf
 * (docs/replay.md). Several calls of runner_run() may add to the same figures.
 *
 * Times are clock_mono() ns unless stated otherwise; histograms of times hold microseconds. Answers
 * of the warm-up (the first sends, see runner.h) count only in `warm_up`, warm_up_failed and
 * last_end; if they were cancelled, in `cancelled`. Their requests count like others in all figures
 * on sending, such as `sent`, `peak`, `retries` and `lag`. One thread.
 */
#include <stdbool.h>
#include <stdint.h>

#include "answers/pulse.h"
#include "base/error_tally.h"
#include "base/histogram.h"

/* Limits of goodput in microseconds; 0: no limit. All times are measured from sending. */
struct load_figures_goals {
	uint64_t ttft_us, tpot_us, e2el_us;
};

/* What the rate of an open loop demanded, at the last update before sending stopped. Each due
 * request was sent, is in `waiting`, or could not be sent. */
struct load_figures_offer {
	double seconds;        /* how long requests were sent at the rate */
	uint64_t due;          /* scheduled times that have come, without those in `lacking` */
	uint64_t waiting;      /* due requests that wait for an earlier turn or a free slot */
	uint64_t without_slot; /* those of `waiting` that need only a free slot */
	uint64_t lacking; /* scheduled times that have come after the source had no request left */
};

struct load_figures {
	struct load_figures_goals goals;
	/* start of the first call of runner_run(), or time of the latest load_figures_restart() */
	uint64_t began;
	uint64_t resumed;  /* start of the latest call of runner_run() */
	uint64_t last_end; /* end of the last answer */
	/* ns; durations of the earlier calls of runner_run(), each up to its last answer */
	uint64_t busy;
	uint64_t sent;      /* requests */
	uint64_t completed; /* answers that neither failed nor were cancelled */
	uint64_t warm_up;   /* answers of the warm-up, failed ones included */
	uint64_t good;      /* completed answers within all goals */
	/* completed answers that lack a time for which a goal is set; they are not in `good` */
	uint64_t ungauged;
	uint64_t without_usage; /* completed answers that state no token counts */
	uint64_t streams;       /* completed answers that are streams */
	/* sums over completed answers that state token counts */
	int64_t input_tokens, output_tokens;
	/* requests sent again at once without the added fields, because the engine refused these;
	 * not in `retries` */
	uint64_t injection_refused;
	/* retries after a pause (retry.h), by the reason for the retry */
	struct error_tally retries;
	/* states of sends that could not be written to the progress file (resume.h); after a
	 * crash, a resumed replay may send these requests twice */
	uint64_t unlogged;
	/* how often a closed loop waited 2 ms because the recorder's queue was full */
	uint64_t paused;
	unsigned in_flight, peak; /* requests in flight now; the most at one time */
	struct load_figures_offer offer;
	struct error_tally failed;         /* failed answers, by reason */
	struct error_tally warm_up_failed; /* failed answers of the warm-up, by reason */
	/* answers that plumbline cancelled on purpose (cancel.h); not in `completed`, `failed` or
	 * `warm_up` */
	uint64_t cancelled;
	/* sends that a later call of runner_run() must repeat: there was no connection, or
	 * plumbline interrupted them */
	uint64_t undone;
	/* completed answers that were compared with the recorded ones, and how many differ */
	uint64_t compared, differing;
	/* bytes; length of the common beginning of the recorded and the new answer, for those
	 * that differ */
	struct histogram common;
	/* As vLLM's benchmark defines them; ttft and e2el begin at the time of sending. */
	struct histogram ttft, itl, tpot, e2el;
	/* The same from the intended time of sending; `queue`: from the intended to the real time,
	 * whatever a send waited for (compare `lag`). */
	struct histogram ttft_intended, e2el_intended, queue;
	/* As AIPerf defines them, where it differs from vLLM: to the first event with content;
	 * to the first event with more than reasoning; mean time between tokens; duration of the
	 * request. */
	struct histogram first_token, first_output, mean_itl, request_latency;
	/* how late plumbline sent, compared with its schedule; open loops only */
	struct histogram lag;
	/* The number of events with choices (which vLLM counts as tokens) in each second since
	 * `began`, for up to 131,072 seconds. n_seconds: length of the array, which grows ahead, so
	 * its last items may be 0. */
	uint32_t *tokens_by_second;
	size_t n_seconds;
	/* later turns that were sent without a pause: the recorded think time was asked for, but
	 * the source has none for them */
	uint64_t unthought;
	/* sends of an open loop that waited for a turn or a slot; `lag` does not include them */
	uint64_t blocked;
};

struct load_figures_answer {
	uint64_t intended, sent, ended;
	bool warm_up;
	const char *failure;     /* NULL: completed */
	bool cancelled;          /* plumbline cancelled it on purpose */
	bool was_awaiting_retry; /* it ended while it waited for a retry, so it was not in flight */
	const struct pulse *pulse;
};

/* timed: a schedule set the time `due`. blocked: the request waited for a turn or a slot. */
void load_figures_sent(
        struct load_figures *f, bool timed, bool blocked, uint64_t due, uint64_t now);
/* load_figures_await_retry(): the engine refused a request, which now waits for a retry and is
 * not in flight. load_figures_retry(): this request is sent again. why: the reason. */
void load_figures_await_retry(struct load_figures *f);
void load_figures_retry(struct load_figures *f, const char *why);
void load_figures_answer(struct load_figures *f, const struct load_figures_answer *a);
/* Call at the start of runner_run(), before its first request. Time between two calls of
 * runner_run() does not count. If no answer so far counted (all were of the warm-up or cancelled),
 * also restarts the clock, as load_figures_restart() does. */
void load_figures_begin(struct load_figures *f, uint64_t now);
/* Restarts the clock: time before `now` no longer counts in load_figures_seconds(). Counts and
 * histograms stay. */
void load_figures_restart(struct load_figures *f, uint64_t now);
/* Adds counts, histograms and durations of `from` to f, and each second of from->tokens_by_second
 * to the nearest second of f. `peak` and last_end become the larger value. Goals, `offer` and
 * in_flight of f stay. */
void load_figures_merge(struct load_figures *f, const struct load_figures *from);
/* `completed` plus the answers of the warm-up that did not fail. */
uint64_t load_figures_answered(const struct load_figures *f);
/* All answers: completed, failed, cancelled, and of the warm-up. */
uint64_t load_figures_ended(const struct load_figures *f);
/* The number of failed answers, including those of the warm-up. */
uint64_t load_figures_failed(const struct load_figures *f);
/* The most events with choices in one second of tokens_by_second. */
uint32_t load_figures_most_tokens(const struct load_figures *f);
/* The duration of all calls of runner_run() in seconds, each up to its last answer. */
double load_figures_seconds(const struct load_figures *f);
/* n divided by load_figures_seconds(); 0 if that is 0. */
double load_figures_per_second(const struct load_figures *f, double n);
/* The quantile q (0 to 1), mean and standard deviation of a histogram, in milliseconds; NaN: it
 * has no values. */
double load_figures_quantile_ms(const struct histogram *h, double q);
double load_figures_mean_ms(const struct histogram *h);
double load_figures_deviation_ms(const struct histogram *h);
/* True if the times describe this machine rather than the engine: p99 of `lag` is above 10 ms. */
bool load_figures_are_late(const struct load_figures *f);
void load_figures_finish(struct load_figures *f);
