#pragma once
/*
 * steps - an open loop in steps of one rate each: which rate comes next, what became of each step, and the knee, which is the highest
 * rate that was held.
 *
 * A step begins when everything of the one before has been answered, so that none bears another one's backlog. It is held if all of
 * this is so:
 *
 *	answers follow   what is under way does not grow from the middle of the step to its end: by 5 % of what was sent then, or by what
 *	                 chance makes of as many (twice the deviation between two Poisson counts), whichever is more
 *	in time          p99 of TTFT, TPOT and E2E, from the intended time, are within the limits of goodput, where there are any
 *	answered         at most 1 % are errors; of fewer than a hundred no more than chance makes of 1 % in one of forty steps, and
 *	                 of those that are slow, among answers with the figure, likewise: such a step is not told
 *	offered          all of the times that its schedule gave were sent for but a tenth, or two: later turns that wait for the
 *	                 answers before them may not let so many go
 *	told             there are enough answers to tell: a hundred, of which one error is one in a hundred, p99 is not merely the
 *	                 slowest, and whose number gives a rate to within a fifth (95 %, Poisson). What chance makes of what is
 *	                 under way is no more than a fifth of what was sent: else a rate that much too high would pass. And by
 *	                 chance there were not over a tenth fewer arrivals than the rate asks for
 *
 * and whatever the machine itself could not send in time is no word about the engine: its step is marked, and is no try. Nor is what was
 * not offered, unless more is under way all the same than an engine that follows would have. A search doubles the rate until a step is
 * not held, in two tries; then it halves the gap until it is within a tenth. It goes on from a step of which too few were answered to
 * tell as if it were held, but that is no knee. What could not be sent in time three times, with longer and longer pauses between,
 * ends it, and so does the first rate that was not offered.
 *
 * steps_next() and steps_add() in turns, steps_end() at last. Pure.
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
	STEP_BEHIND, /* answers do not follow */
	STEP_SLOW,   /* a limit of goodput was passed */
	STEP_ERRORS,
	STEP_UNSENT,    /* this machine could not send it */
	STEP_UNOFFERED, /* turns that wait, or what can't be sent, left less than the rate */
	STEP_FEW,       /* nothing speaks against it, but too few were answered to tell */
	STEP_EMPTY,     /* nothing was sent in it */
	STEP_CUT,       /* it did not come to its end */
};

enum steps_end {
	STEPS_DONE,      /* all of a list */
	STEPS_KNEE,      /* a search came to its end */
	STEPS_FEW,       /* likewise, but too few requests are in a step to tell a knee */
	STEPS_MACHINE,   /* a search met the machine's own limit */
	STEPS_UNOFFERED, /* a search met a rate that was not offered */
	STEPS_SHORT,     /* steps are too short for what an answer takes */
	STEPS_LIMIT_REACHED,
	STEPS_CUT, /* requests or time were over, or it was stopped */
};

/* How far a step was at a moment. */
struct step_moment {
	uint64_t sent;      /* and what would have been, had there been a place */
	uint64_t in_flight; /* likewise */
	double seconds;     /* since its beginning */
};

/* It was seen that the engine does not hold the rate. */
bool step_is_not_held(enum step_verdict v);

struct step {
	double rate; /* that was meant; a second */
	uint64_t sent, completed, failed;
	struct figures_offer offer;
	double offered; /* a second: sent */
	double answered; /* a second, in its second half; what was under way at its end is not waited for */
	/* ms, from the intended time; NaN: no answer has it */
	double ttft_p50, ttft_p99, e2el_p50, e2el_p99, tpot_p99, lag_p99;
	uint64_t ungauged; /* answers that were held against fewer limits than there are */
	uint64_t gauged; /* answers with the figure that fewest have, of those that have a limit */
	unsigned peak;
	enum step_verdict verdict;
};

struct steps {
	const struct pace *pace;
	struct step items[STEPS_LIMIT];
	size_t n;
	double held,  /* the highest rate that was held, or that too few could not tell from that */
	        lost; /* the lowest above it that was not; 0: none */
	double usual; /* s: an answer took, p50, at the easiest rate that was held */
	unsigned tries;  /* of the latest rate, that say something of the engine */
	unsigned unsent; /* of the latest rate, that do not */
	enum steps_end end;
	bool over;
};

void steps_init(struct steps *s, const struct pace *p); /* pace_has_steps(); outlives it */
/* The rate of the next step. False: there is none. */
bool steps_next(struct steps *s, double *ret_rate) MUST_CHECK;
/* How long to wait before the step that steps_next() told, ns: what kept the machine from sending the last one may go by. */
uint64_t steps_pause(const struct steps *s);
/* How long that step goes on sending, with the pause before it, ns. */
uint64_t steps_length(const struct steps *s);
/* A step at that rate is over, and all that it sent answered. half, end: how far it was in its middle and when nothing more was sent.
 * whole: it went on to its end; requests may have run out in it all the same. */
void steps_add(struct steps *s, double rate, const struct figures *f,
        const struct step_moment *half, const struct step_moment *end, bool whole);

/* The highest rate that was held below the lowest that was not; NULL: none. */
const struct step *steps_knee(const struct steps *s);
/* Within what share a count of its answers tells a rate, at 95 %. */
double step_within(const struct step *s);
/* The highest rate below the lowest that was not held of which too few were answered to tell; NULL: none. */
const struct step *steps_few(const struct steps *s);
/* How long that step would have to be to have enough answers, s: of those with a limited figure, too. */
double steps_enough(const struct steps *s, const struct step *few);

const char *step_verdict_name(enum step_verdict v);
void steps_text(const struct steps *s, FILE *to);
void step_json(const struct step *s, struct buf *to);
/* ,"steps":[...],"search":"knee","knee":{...},"not_held":{...}: members of the object that to ends in. */
void steps_json(const struct steps *s, struct buf *to);
