#pragma once
/*
 * figures - what a replay measured, under the definitions of vLLM's benchmark and of AIPerf.
 *
 * docs/replay.md defines each. Times of one answer come as clock_mono() ns; histograms hold microseconds.
 * One thread.
 */
#include <stdbool.h>
#include <stdint.h>

#include "base/histogram.h"
#include "answers/pulse.h"
#include "base/reasons.h"

/* Limits of goodput in microseconds; 0: none. */
struct figures_goals {
	uint64_t ttft_us, tpot_us, e2el_us;
};

/* Of a rate, when it was last looked at before nothing more was sent: what became of the times that had come. What is neither sent
 * nor waits could not be sent. */
struct figures_offer {
	double seconds;   /* that the rate was asked for */
	uint64_t due;     /* they are so many */
	uint64_t waiting; /* for the turn before, or for a place */
	uint64_t crowded; /* of these: for a place */
	uint64_t lacking; /* and so many more times, for which there was no request any more */
};

struct figures {
	struct figures_goals goals;
	uint64_t began;    /* clock_mono() ns */
	uint64_t resumed;  /* of several replays, one after the other: the latest's beginning */
	uint64_t last_end; /* of an answer */
	uint64_t busy;     /* ns that the replays before the latest took, to their last answers */
	uint64_t sent, completed;
	uint64_t warm_up;       /* answers that stand in no other figure */
	uint64_t good;          /* completed within all goals */
	uint64_t ungauged;      /* completed, without a figure that a goal is of: not good */
	uint64_t without_usage; /* completed, but the answer does not count its tokens */
	uint64_t streams;
	int64_t input_tokens, output_tokens;
	uint64_t retried;       /* sent once more, without the added fields */
	struct reasons retries; /* further tries of what was turned away, and why they were made */
	uint64_t unnoted;       /* sends that could not be noted: a crash would send them twice */
	uint64_t paused;        /* times that a closed loop waited 2 ms for the recorder */
	unsigned in_flight, peak;
	struct figures_offer offer;
	struct reasons failed;
	struct reasons warm_up_failed; /* of warm_up */
	uint64_t cancelled;            /* given up on purpose; in no other figure */
	uint64_t undone; /* of sent: they stay to be sent (no connection; broken off) */
	/* Of those completed: held against the recorded answer, and not the same. */
	uint64_t compared, parted;
	struct histogram parting; /* bytes that were the same before the first difference */
	/* From the send, as vLLM's benchmark measures. */
	struct histogram ttft, itl, tpot, e2el;
	/* From the intended time. */
	struct histogram ttft_intended, e2el_intended, queue;
	/* AIPerf's where they differ. */
	struct histogram first_token, first_output, mean_itl, request_latency;
	struct histogram lag; /* the schedule's own lateness */
	/* By the second from began on, as vLLM's benchmark counts tokens: events with choices. */
	uint32_t *tokens_by_second;
	size_t n_seconds;
	uint64_t unthought; /* later turns without the recorded time to think that was asked for */
	uint64_t blocked;   /* sends that waited for a turn or a place: no lag is counted */
};

struct figures_answer {
	uint64_t intended, sent, ended;
	bool warm_up;
	const char *failure; /* NULL: completed */
	bool cancelled;      /* by ourselves, as a client would */
	bool resting;        /* between two tries: it was not in flight */
	const struct pulse *pulse;
};

/* timed: the load's shape set a time, due. */
void figures_sent(struct figures *f, bool timed, bool blocked, uint64_t due, uint64_t now);
/* It is turned away and rests; and is sent again, for what it was turned away with. */
void figures_rest(struct figures *f);
void figures_retry(struct figures *f, const char *why);
void figures_answer(struct figures *f, const struct figures_answer *a);
/* The first answer is about to be asked for, once more where there were answers before. */
void figures_begin(struct figures *f, uint64_t now);
/* What came before is in no figure. */
void figures_restart(struct figures *f, uint64_t now);
/* What was measured after it, added to it; the goals and the offer stay. from is not changed. */
void figures_merge(struct figures *f, const struct figures *from);
/* Answers that are some, of the warm-up too. */
uint64_t figures_answered(const struct figures *f);
/* Answers that are none, of the warm-up too. */
uint64_t figures_failed(const struct figures *f);
/* The most that came in one second. */
uint32_t figures_most_tokens(const struct figures *f);
double figures_seconds(const struct figures *f);
/* n, of as long as it took; 0 where that was no time. */
double figures_per_second(const struct figures *f, double n);
/* Of the values, in milliseconds; NaN: there are none. */
double figures_quantile_ms(const struct histogram *h, double q);
double figures_mean_ms(const struct histogram *h);
double figures_deviation_ms(const struct histogram *h);
/* The schedule was kept so badly that the times say more of this machine than of the engine. */
bool figures_spoilt(const struct figures *f);
void figures_finish(struct figures *f);
