#pragma once
/*
 * steps - an open loop in steps of one rate each: the rate of the next step, the result of each
 * step, and the knee, which is the highest rate that the engine held.
 *
 * A step begins when everything of the step before has been answered, so that no backlog carries
 * over. The engine held the rate if all of these are true:
 *
 *	keeps up    from the middle to the end of the step, requests in flight grow by at most 5 %
 *	            of what was sent then, or by chance (two standard deviations of the difference
 *	            of two Poisson counts), whichever is more
 *	in time     p99 of TTFT, TPOT and E2E, from the intended time, are within the limits of
 *	            goodput, where set
 *	answered    at most 1 % of the answers are errors, or too slow. With fewer than a hundred
 *	            answers: no more than 1 % errors give by chance in one of forty steps, and the
 *	            step counts as undecided
 *	offered     all but a tenth of the scheduled requests were sent, or all but two: turns that
 *	            wait for earlier answers must not reduce the rate further
 *	enough      there were at least a hundred answers, and enough to know the rate within a
 *	            fifth (95 %, Poisson); chance explains at most a fifth of the requests in
 *	            flight; and arrivals were at most a tenth below the rate by chance
 *
 * A step that this machine could not send in time says nothing about the engine and does not count
 * as a try. Nor does a step that was not offered, unless more is in flight than an engine that
 * keeps up would have. A search doubles the rate until a rate fails in two tries, then halves the
 * gap until it is within a tenth. It continues after a step with too few answers as if the rate was
 * held, but such a step is no knee. The search ends if this machine fails to send a rate three
 * times, with growing pauses between, and at the first rate that was not offered.
 *
 * Call steps_next() and steps_add() in turn. Pure.
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/buf.h"
#include "replay/figures.h"
#include "replay/pace.h"

#define STEPS_LIMIT 96

enum step_verdict {
	STEP_HELD,
	STEP_BEHIND, /* the engine did not keep up */
	STEP_SLOW,   /* a limit of goodput was exceeded */
	STEP_ERRORS,
	STEP_UNSENT,    /* this machine could not send in time */
	STEP_UNOFFERED, /* waiting turns, or unsendable requests, left less than the rate */
	STEP_FEW,       /* no failure, but too few answers to decide */
	STEP_EMPTY,     /* nothing was sent in it */
	STEP_CUT,       /* interrupted */
};

enum steps_end {
	STEPS_DONE,          /* all rates of a list were run */
	STEPS_KNEE,          /* the search found the knee */
	STEPS_FEW,           /* the search ended, but steps had too few requests for a knee */
	STEPS_MACHINE,       /* the search reached the limit of this machine */
	STEPS_UNOFFERED,     /* the search reached a rate that was not offered */
	STEPS_SHORT,         /* steps are too short for the time that an answer takes */
	STEPS_LIMIT_REACHED, /* STEPS_LIMIT steps were run */
	STEPS_CUT,           /* requests or time ran out, or it was stopped */
};

/* The progress of a step at one moment. */
struct step_moment {
	uint64_t sent;      /* requests sent, plus those that only lack a free slot */
	uint64_t in_flight; /* requests in flight, plus those that only lack a free slot */
	double seconds;     /* since the step began */
};

/* True if the engine failed to hold the rate. */
bool step_is_not_held(enum step_verdict v);

struct step {
	double rate;                      /* intended rate, requests a second */
	uint64_t sent, completed, failed; /* requests */
	struct figures_offer offer;
	double offered; /* sent, requests a second */
	/* answers a second in its second half; requests in flight at its end do not count */
	double answered;
	/* ms, from the intended time; NaN: no answer has it */
	double ttft_p50, ttft_p99, e2el_p50, e2el_p99, tpot_p99, lag_p99;
	uint64_t ungauged; /* answers that lack a figure for which a limit is set */
	/* of the figures that have a limit, the one that fewest answers have: the number of
	 * answers that have it */
	uint64_t gauged;
	unsigned peak; /* the most requests in flight at one time */
	enum step_verdict verdict;
};

struct steps {
	const struct pace *pace;
	struct step items[STEPS_LIMIT];
	size_t n;
	double held,     /* the highest rate that was held, or not refuted */
	        lost;    /* the lowest higher rate that failed; 0: none */
	double usual;    /* median duration of an answer at the lowest rate that was held, s */
	unsigned tries;  /* tries of the latest rate that count */
	unsigned unsent; /* tries of the latest rate that this machine could not send */
	enum steps_end end;
	bool over; /* there is no further step; `end` says why */
};

/* p: a pace with steps (pace_has_steps()), which must outlive s. */
void steps_init(struct steps *s, const struct pace *p);
/* The rate of the next step. False: there is none. */
bool steps_next(struct steps *s, double *ret_rate) MUST_CHECK;
/* The pause before the step that steps_next() gave, ns: whatever kept this machine from sending
 * may end meanwhile. */
uint64_t steps_pause(const struct steps *s);
/* The length of the step that steps_next() gave, with the pause before it, ns. */
uint64_t steps_length(const struct steps *s);
/* Adds a finished step whose requests were all answered. half, end: its progress in the middle and
 * when it stopped sending. whole: it ran for its full length, though requests may have run out. */
void steps_add(struct steps *s, double rate, const struct figures *f,
        const struct step_moment *half, const struct step_moment *end, bool whole);

/* The step of the highest rate that was held below the lowest that failed; NULL: none. */
const struct step *steps_knee(const struct steps *s);
/* The relative error of the step's answer rate, at 95 %. */
double step_within(const struct step *s);
/* The step of the highest rate below the lowest that failed which had too few answers to decide;
 * NULL: none. */
const struct step *steps_few(const struct steps *s);
/* How long the step of steps_few() would have to be to have enough answers, s. */
double steps_enough(const struct steps *s, const struct step *few);

const char *step_verdict_name(enum step_verdict v);
void steps_text(const struct steps *s, FILE *to);
void step_json(const struct step *s, struct buf *to);
/* Appends ,"steps":[...],"search":"knee","knee":{...},"not_held":{...}: members of an object that
 * is open in `to`. */
void steps_json(const struct steps *s, struct buf *to);
