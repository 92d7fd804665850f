#pragma once
/*
 * steps - an open loop in steps of one rate each: the rate of the next step, the result of each
 * step, and the knee, which is the highest rate that the engine held.
 *
 * A step begins when all requests of the step before have been answered, so that no backlog carries
 * over. The engine held the rate (STEP_HELD) if all of these are true:
 *
 *	keeps up    from the middle to the end of the step, the number of requests in flight
 *	            grows by at most 5 % of the requests sent in that time, or by what chance
 *	            allows, whichever is more. Chance allows two standard deviations of the
 *	            difference of two Poisson counts. Their mean is the rate times
 *	            answer_seconds (if that is 0: times this step's 10 % quantile of E2E), at
 *	            least 1, and at most the number of requests sent before the middle
 *	in time     p99 of TTFT, TPOT and E2E are within the limits of goodput that are set;
 *	            TTFT and E2E count from the intended time
 *	answered    at most 1 % of the answers are errors
 *	offered     at most a tenth of the scheduled requests were not sent, or at most two
 *	enough      all of these are true:
 *	            - there are at least a hundred answers, so that their rate is known within a
 *	              fifth (95 %, Poisson)
 *	            - a limited figure with fewer than a hundred values has none above the limit
 *	            - the growth that chance allows is at most a fifth of the requests sent in
 *	              the second half
 *	            - at least nine tenths of the requests that the rate demands were sent; a
 *	              randomly drawn schedule may have fewer
 *
 * With fewer than a hundred answers, "in time" and "answered" allow more bad answers: an engine of
 * whose answers 1 % are bad exceeds the allowed number in less than one of forty steps.
 *
 * A step without "offered" is STEP_UNOFFERED, unless the engine did not keep up and has more
 * requests in flight at the end than an engine that keeps up would have. A step without "enough" is
 * STEP_FEW, unless the engine failed.
 *
 * A search (pace.h: saturate) works like this:
 *
 *	- It doubles the rate until the engine fails at a rate twice in a row. Then it halves the
 *	  gap between this rate and the highest rate that did not fail, until that gap is a tenth.
 *	- It ends if the engine failed at all rates and the next one would send fewer than five
 *	  requests in a step.
 *	- STEP_FEW counts as not failed, but such a step is never the knee.
 *	- STEP_UNSENT, which says nothing about the engine, is tried again after a pause that
 *	  doubles. After three such steps at one rate the search ends.
 *	- STEP_UNOFFERED and STEP_EMPTY end the search.
 *
 * Call steps_next() and steps_add() in turn. Pure, except steps_text().
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/json_writer.h"
#include "replay/load_figures.h"
#include "replay/pace.h"

#define STEPS_LIMIT 96

enum step_verdict {
	STEP_HELD,
	STEP_BEHIND, /* requests in flight grew too much */
	STEP_SLOW,   /* a limit of goodput was exceeded */
	STEP_ERRORS,
	/* this machine sent over 1 % of the requests, and over three, more than 10 ms late */
	STEP_UNSENT,
	/* too few of the scheduled requests were sent: turns waited, or were unfit */
	STEP_UNOFFERED,
	/* the engine did not fail, but there is not enough to say that it held the rate */
	STEP_FEW,
	STEP_EMPTY, /* nothing was sent */
	STEP_CUT,   /* the step did not have its full length, or the source had too few requests */
};

enum steps_end {
	STEPS_DONE, /* all rates of a list were run */
	STEPS_KNEE, /* the search ended; steps_knee() is NULL if the engine held no rate */
	/* the search ended without a knee, and at least one step was STEP_FEW */
	STEPS_FEW,
	/* this machine could not send at the next rate, or that rate is above PACE_MOST */
	STEPS_MACHINE,
	STEPS_UNOFFERED, /* a step was STEP_UNOFFERED or STEP_EMPTY */
	/* no rate was held, and the median answer takes more than a third of a step */
	STEPS_SHORT,
	STEPS_LIMIT_REACHED, /* STEPS_LIMIT steps were run */
	STEPS_TIME,          /* the time for all steps ran out */
	STEPS_EXHAUSTED,     /* the source had no request left */
	STEPS_CUT,           /* a step was STEP_CUT for another reason, or a signal came */
};

/* The progress of a step at one moment. */
struct step_moment {
	uint64_t sent;      /* requests sent, and those that wait only for a free slot */
	uint64_t in_flight; /* requests in flight, and those that wait only for a free slot */
	double seconds;     /* since the step began */
};

/* True if the engine failed to hold the rate: STEP_BEHIND, STEP_SLOW or STEP_ERRORS. */
bool step_is_not_held(enum step_verdict v);

struct step {
	double rate;                      /* intended rate, requests a second */
	uint64_t sent, completed, failed; /* requests */
	struct load_figures_offer offer;
	double offered; /* requests sent a second */
	/* answers that ended in the second half of the step, a second */
	double answered;
	/* ms; TTFT and E2E from the intended time; NaN: no answer has the figure */
	double ttft_p50, ttft_p99, e2el_p50, e2el_p99, tpot_p99, lag_p99;
	uint64_t ungauged; /* number of answers that lack a time for which a limit is set */
	/* number of values of the limited figure that has the fewest, but at least one; if no
	 * figure is limited: number of answers */
	uint64_t gauged;
	unsigned peak; /* the most requests in flight at one time */
	enum step_verdict verdict;
};

struct steps {
	const struct pace *pace;
	struct step items[STEPS_LIMIT];
	size_t n;
	/* requests a second; 0: none. The highest rate with STEP_HELD or STEP_FEW; the lowest rate
	 * that failed (in a search: twice in a row) */
	double highest_held, lowest_not_held;
	/* s; the shortest median duration of answers in a step with STEP_HELD or STEP_FEW; 0:
	 * none */
	double answer_seconds;
	/* number of steps in a row at the latest rate, without those that are STEP_UNSENT */
	unsigned tries;
	unsigned unsent; /* number of STEP_UNSENT in a row at the latest rate */
	enum steps_end end;
	bool over; /* there is no further step; `end` says why */
};

/* p: a pace with steps (pace_has_steps()), which must outlive s. */
void steps_init(struct steps *s, const struct pace *p);
/* The rate of the next step. False: there is none. */
bool steps_next(struct steps *s, double *ret_rate) MUST_CHECK;
/* The pause in ns before the step that steps_next() gave. 0, except in a search after STEP_UNSENT:
 * the pause lets a disturbance of this machine end. */
uint64_t steps_pause(const struct steps *s);
/* The length in ns of the step that steps_next() gave, including the pause before it. */
uint64_t steps_length(const struct steps *s);
/* Adds a finished step, of which all requests have ended.
 *
 *	half, end  its progress at its middle, and when it stopped sending
 *	whole      it ran for its full length, even if the source had no request left */
void steps_add(struct steps *s, double rate, const struct load_figures *f,
        const struct step_moment *half, const struct step_moment *end, bool whole);

/* The knee: the step with the highest rate below lowest_not_held that is STEP_HELD; NULL: there is
 * none. */
const struct step *steps_knee(const struct steps *s);
/* The relative error of the step's rate of answers, at 95 %: 0.2 is a fifth; 1: no answers. */
double step_within(const struct step *s);
/* The step with the highest rate below lowest_not_held that is STEP_FEW; NULL: there is none. */
const struct step *steps_few(const struct steps *s);
/* The length in seconds that a step at the rate of `few`, from steps_few(), needs for STEP_HELD. */
double steps_sufficient_seconds(const struct steps *s, const struct step *few);

const char *step_verdict_name(enum step_verdict v); /* for JSON, such as "held" */
/* the same for people */
const char *step_verdict_text(enum step_verdict v);
/* Prints the knee, how the steps ended, and a table of the latest steps. */
void steps_text(const struct steps *s, FILE *to);
void step_json(struct json_writer *w, const char *key, const struct step *s); /* NULL: null */
/* Writes members of the open object: "steps":[...],"search":"knee","knee":{...},"not_held":{...} */
void steps_json(struct json_writer *w, const struct steps *s);
