#pragma once
/*
 * steps - an open loop in steps of one rate each: the rate of the next step, the result of each
 * step, and the knee, which is the highest rate that the engine held.
 *
 * A step begins when everything of the step before has been answered, so that no backlog carries
 * over. The engine held the rate if all of these are true:
 *
 *	keeps up    from the middle to the end of the step, requests in flight grow by at most 5 %
 *	            of what was sent in that time, or by what chance explains (two standard
 *	            deviations of the difference of two Poisson counts), whichever is more
 *	in time     p99 of TTFT, TPOT and E2E, from the intended time, are within the limits of
 *	            goodput that are set
 *	answered    at most 1 % of the answers are errors or too slow. With fewer than a hundred
 *	            answers: at most as many as an error rate of 1 % gives by chance in one of forty
 *	            steps; the step then counts as undecided
 *	offered     at least nine tenths of the scheduled requests were sent, or all but two: turns
 *	            that wait for earlier answers must not reduce the rate further
 *	enough      there were at least a hundred answers, and enough to know the rate within a
 *	            fifth (95 %, Poisson); chance explains at most a fifth of the requests in
 *	            flight; and chance made arrivals at most a tenth slower than the rate
 *
 * A step that this machine could not send in time says nothing about the engine and does not count
 * as a try. A step that was not offered does not count either, unless more requests are in flight
 * than an engine that keeps up would have. A search doubles the rate until a rate fails in two
 * tries, then halves the gap until it is within a tenth. After a step with too few answers it
 * continues as if the engine held the rate, but such a step is never the knee. The search ends at
 * the first rate that was not offered, and when this machine fails three times to send a rate, with
 * growing pauses in between.
 *
 * Call steps_next() and steps_add() in turn. Pure.
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/buf.h"
#include "replay/load_figures.h"
#include "replay/pace.h"

#define STEPS_LIMIT 96

enum step_verdict {
	STEP_HELD,
	STEP_BEHIND, /* the engine did not keep up */
	STEP_SLOW,   /* a limit of goodput was exceeded */
	STEP_ERRORS,
	STEP_UNSENT, /* this machine could not send in time */
	/* too few requests were sent: turns waited, or requests could not be sent */
	STEP_UNOFFERED,
	STEP_FEW,   /* the engine did not fail, but gave too few answers to decide */
	STEP_EMPTY, /* nothing was sent */
	STEP_CUT,   /* interrupted */
};

enum steps_end {
	STEPS_DONE,          /* all rates of a list were run */
	STEPS_KNEE,          /* the search found the knee */
	STEPS_FEW,           /* the search ended without a knee: steps had too few requests */
	STEPS_MACHINE,       /* the search reached the limit of this machine */
	STEPS_UNOFFERED,     /* the search reached a rate that was not offered */
	STEPS_SHORT,         /* the steps are shorter than answers need */
	STEPS_LIMIT_REACHED, /* STEPS_LIMIT steps were run */
	STEPS_CUT,           /* requests or time ran out, or a signal stopped it */
};

/* The progress of a step at one moment. */
struct step_moment {
	uint64_t sent;      /* requests sent, and those that wait only for a free slot */
	uint64_t in_flight; /* requests in flight, and those that wait only for a free slot */
	double seconds;     /* since the step began */
};

/* True if the engine failed to hold the rate. */
bool step_is_not_held(enum step_verdict v);

struct step {
	double rate;                      /* intended rate, requests a second */
	uint64_t sent, completed, failed; /* requests */
	struct load_figures_offer offer;
	double offered; /* requests sent a second */
	/* answers a second in the second half of the step; requests in flight at its end do not
	 * count */
	double answered;
	/* ms, from the intended time; NaN: no answer has it */
	double ttft_p50, ttft_p99, e2el_p50, e2el_p99, tpot_p99, lag_p99;
	uint64_t ungauged; /* answers that lack a figure for which a limit is set */
	/* the number of answers that have the figure; if several figures have a limit, the
	 * smallest such number */
	uint64_t gauged;
	unsigned peak; /* the most requests in flight at one time */
	enum step_verdict verdict;
};

struct steps {
	const struct pace *pace;
	struct step items[STEPS_LIMIT];
	size_t n;
	double held,     /* requests a second; the highest rate that was held or not refuted */
	        lost;    /* requests a second; the lowest higher rate that failed; 0: none */
	double usual;    /* s; median duration of an answer at the lowest rate that was held */
	unsigned tries;  /* how many tries of the latest rate count */
	unsigned unsent; /* how many tries of the latest rate this machine could not send */
	enum steps_end end;
	bool over; /* there is no further step; `end` says why */
};

/* p: a pace with steps (pace_has_steps()), which must outlive s. */
void steps_init(struct steps *s, const struct pace *p);
/* The rate of the next step. False: there is none. */
bool steps_next(struct steps *s, double *ret_rate) MUST_CHECK;
/* The pause in ns before the step that steps_next() gave. It lets pass what kept this machine
 * from sending. */
uint64_t steps_pause(const struct steps *s);
/* The length in ns of the step that steps_next() gave, including the pause before it. */
uint64_t steps_length(const struct steps *s);
/* Adds a finished step. All its requests must be answered. half, end: its progress in its
 * middle, and when it stopped sending. whole: it ran for its full length, even if requests ran
 * out. */
void steps_add(struct steps *s, double rate, const struct load_figures *f,
        const struct step_moment *half, const struct step_moment *end, bool whole);

/* The step with the highest rate that was held below the lowest rate that failed; NULL: none. */
const struct step *steps_knee(const struct steps *s);
/* The relative error of the step's rate of answers, at 95 %; 0.2 is a fifth. */
double step_within(const struct step *s);
/* The step with the highest rate that had too few answers to decide, below the lowest rate that
 * failed; NULL: none. */
const struct step *steps_few(const struct steps *s);
/* The length in seconds that the step of steps_few() needs to have enough answers. */
double steps_enough(const struct steps *s, const struct step *few);

/* For machines, and for persons. */
const char *step_verdict_name(enum step_verdict v);
const char *step_verdict_text(enum step_verdict v);
void steps_text(const struct steps *s, FILE *to);
void step_json(const struct step *s, struct buf *to);
/* Appends ,"steps":[...],"search":"knee","knee":{...},"not_held":{...}: members of an object that
 * is open in `to`. */
void steps_json(const struct steps *s, struct buf *to);
