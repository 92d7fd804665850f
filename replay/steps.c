#include "replay/steps.h"

#include <math.h>

#include "base/check.h"

/* growth of the number in flight, as a share of the sends in a step's second half */
#define GROWTH 0.05
#define RARE_SHARE 0.01 /* share of answers that may be errors, or slow */
#define BY_CHANCE 0.025
/* share of the due sends that may be missing; a search is no more exact than that */
#define UNOFFERED 0.1
#define UNOFFERED_FEW 2
/* a search ends when the lowest rate not held is at most this multiple of the highest one held */
#define SEARCH_RATIO 1.1
#define TRIES 2
#define TRIES_UNSENT 3
/* after a step that this machine could not send on time; doubled each time */
#define PAUSE_NS UINT64_C(2000000000)
#define LATE_US 10000
#define LATE_FEW 3
#define MIN_REQUESTS 5  /* fewest requests in a step that can show that a rate is too high */
#define MIN_ANSWERS 100 /* fewest answers in a step that can show that a rate is held */
/* largest growth by chance, as a share of the sends in the second half, for which a step is
 * conclusive */
#define CONCLUSIVE_GROWTH 0.2
#define MARGIN 1.25 /* margin, so that a step has enough arrivals even if chance sends fewer */

void steps_init(struct steps *s, const struct pace *p)
{
	expect(pace_has_steps(p) && p->step > 0);
	*s = (struct steps){.pace = p};
}

static bool finish(struct steps *s, enum steps_end end)
{
	s->end = end;
	s->over = true;
	return false;
}

static bool passes(enum step_verdict v)
{
	return v == STEP_HELD || v == STEP_FEW;
}

/* Rounds a rate to three significant digits. */
static double rounded(double rate)
{
	double unit = pow(10, floor(log10(rate)) - 2);
	return round(rate / unit) * unit;
}

/* The step with this verdict that has the highest rate. Only rates below the lowest one that was
 * not held count. */
static const struct step *highest(const struct steps *s, enum step_verdict verdict)
{
	const struct step *found = NULL;
	for (size_t i = 0; i < s->n; i++) {
		const struct step *each = &s->items[i];
		bool counts = each->verdict == verdict &&
		              (s->lowest_not_held == 0 || each->rate < s->lowest_not_held);
		found = counts && (!found || each->rate > found->rate) ? each : found;
	}
	return found;
}

const struct step *steps_knee(const struct steps *s)
{
	return highest(s, STEP_HELD);
}

const struct step *steps_few(const struct steps *s)
{
	return highest(s, STEP_FEW);
}

double step_within(const struct step *s)
{
	double answers = (double)(s->completed + s->failed);
	return answers > 0 ? 1.96 / sqrt(answers) : 1;
}

double steps_sufficient_seconds(const struct steps *s, const struct step *few)
{
	double expected = MAX(few->rate * s->answer_seconds, 1.0); /* requests in flight */
	double answers = (double)(few->completed + few->failed);
	double share = few->gauged > 0 ? (double)few->gauged / answers : 1;
	double counted = MARGIN * MIN_ANSWERS / few->rate / share;
	double conclusive = MARGIN * 2 * 2 * sqrt(2 * expected) / CONCLUSIVE_GROWTH /
	                    few->rate; /* half a step's sends */
	/* the step was too short */
	double longer = MARGIN * (double)s->pace->step / 1e9;
	return ceil(MAX(MAX(counted, conclusive), longer));
}

static bool finish_search(struct steps *s)
{
	return finish(s, steps_few(s) && !steps_knee(s) ? STEPS_FEW : STEPS_KNEE);
}

static bool search(struct steps *s, double *ret_rate)
{
	const struct step *last = s->n ? &s->items[s->n - 1] : NULL;
	if (!last) {
		*ret_rate = s->pace->rates[0];
		return true;
	}
	bool is_unsent = last->verdict == STEP_UNSENT;
	if (is_unsent && s->unsent == TRIES_UNSENT) {
		return finish(s, STEPS_MACHINE);
	}
	if (last->verdict == STEP_UNOFFERED || last->verdict == STEP_EMPTY) {
		/* the sessions limit the rate; a second try would not change that */
		return finish(s, STEPS_UNOFFERED);
	}
	if (is_unsent || (!passes(last->verdict) && s->tries < TRIES)) {
		*ret_rate = last->rate; /* try again: the cause may have been a short disturbance */
		return true;
	}
	double least = MIN_REQUESTS / ((double)s->pace->step / 1e9);
	if (s->highest_held == 0 && s->lowest_not_held / 2 < least) {
		bool is_short = last->e2el_p50 > (double)s->pace->step / 1e6 / 3;
		return is_short ? finish(s, STEPS_SHORT) : finish_search(s);
	}
	if (s->lowest_not_held > 0 && s->lowest_not_held <= SEARCH_RATIO * s->highest_held) {
		return finish_search(s);
	}
	*ret_rate = s->lowest_not_held == 0 ? 2 * s->highest_held
	                                    : rounded((s->highest_held + s->lowest_not_held) / 2);
	return *ret_rate <= PACE_MOST || finish(s, STEPS_MACHINE);
}

bool steps_next(struct steps *s, double *ret_rate)
{
	if (s->over) {
		return false;
	}
	if (s->n > 0 && s->items[s->n - 1].verdict == STEP_CUT) {
		bool exhausted = s->items[s->n - 1].offer.lacking > 0;
		return finish(s, exhausted ? STEPS_EXHAUSTED : STEPS_CUT);
	}
	if (s->n == STEPS_LIMIT) {
		return finish(s, STEPS_LIMIT_REACHED);
	}
	if (s->pace->shape == PACE_SATURATE) {
		return search(s, ret_rate);
	}
	if (s->n == s->pace->n) {
		return finish(s, STEPS_DONE);
	}
	*ret_rate = s->pace->rates[s->n];
	return true;
}

uint64_t steps_pause(const struct steps *s)
{
	bool was_unsent = s->n > 0 && s->items[s->n - 1].verdict == STEP_UNSENT;
	return was_unsent && s->pace->shape == PACE_SATURATE ? PAUSE_NS << (s->unsent - 1) : 0;
}

uint64_t steps_length(const struct steps *s)
{
	return steps_pause(s) + s->pace->step;
}

/* The number of requests in flight at that rate by Little's law. It uses the shortest median
 * answer time of all steps that were held. If there is none, it uses the fastest answers of this
 * step, which did not have to queue. */
static double expected_in_flight(const struct steps *s, double rate, const struct load_figures *f)
{
	double fast = (double)histogram_quantile(&f->e2el, 0.1) / 1e6;
	return MAX(rate * (s->answer_seconds > 0 ? s->answer_seconds : fast), 1.0);
}

/* Twice the standard deviation of the difference between two Poisson counts with the mean
 * `expected`. The mean is at most the number of sends by the middle. Without this limit, answers
 * that take longer than half a step could pile up in any number. */
static double growth_by_chance(double expected, const struct step_moment *half)
{
	return 2 * sqrt(2 * MAX(MIN(expected, (double)half->sent), 1.0));
}

/* Sends in the second half. Negative if fewer were sent by the end: a slot was free that was not
 * free when the middle was examined. */
static double sent_between(const struct step_moment *half, const struct step_moment *end)
{
	return (double)end->sent - (double)half->sent;
}

static bool falls_behind(
        double expected, const struct step_moment *half, const struct step_moment *end)
{
	double growth = (double)end->in_flight - (double)half->in_flight;
	double sent = sent_between(half, end);
	return growth > MAX(GROWTH * sent, growth_by_chance(expected, half));
}

/* The number of the schedule's due times that may be missed. */
static double allowed_misses(const struct load_figures_offer *o)
{
	return MAX(UNOFFERED * (double)(o->due + o->lacking), UNOFFERED_FEW);
}

static bool is_offered(const struct step *s)
{
	return (double)(s->offer.due + s->offer.lacking) - (double)s->sent <=
	       allowed_misses(&s->offer);
}

/* Whether the step is conclusive. If chance alone may cause large growth, a rate that is too high
 * would pass, too. Random arrivals may also have been as few as at a lower rate. */
static bool is_conclusive(const struct steps *all, const struct step *s, double expected,
        const struct step_moment *half, const struct step_moment *end)
{
	double sent = sent_between(half, end);
	double scheduled = s->rate * (double)all->pace->step / 1e9;
	return s->completed + s->failed >= MIN_ANSWERS &&
	       (double)s->sent >= (1 - UNOFFERED) * scheduled &&
	       growth_by_chance(expected, half) <= CONCLUSIVE_GROWTH * sent;
}

static bool ran_out(const struct load_figures_offer *o)
{
	return (double)o->lacking > allowed_misses(o);
}

/* If turns wait for answers, the number in flight also grows while sessions begin. But it stays
 * below the number that an engine which keeps up has at the requested rate. */
static bool has_too_much(
        double expected, const struct step_moment *half, const struct step_moment *end)
{
	return (double)end->in_flight > expected + growth_by_chance(expected, half);
}

/* The smallest count among n answers that is more than one in a hundred. With fewer than ENOUGH
 * answers, a single one may exceed that share by chance. Then it is the smallest count that an
 * engine with a true share of one in a hundred reaches in less than one of forty steps
 * (binomial). */
static double too_many(double n)
{
	double chance = pow(1 - RARE_SHARE, n), more = 1 - chance, k = 1;
	if (n >= MIN_ANSWERS) {
		return floor(RARE_SHARE * n) + 1;
	}
	for (; more >= BY_CHANCE; k++) {
		chance *= (n - k + 1) / k * RARE_SHARE / (1 - RARE_SHARE);
		more -= chance;
	}
	return k;
}

/* A figure that --goodput may limit; limit_us 0: it has no limit. */
struct limited {
	const struct histogram *h;
	uint64_t limit_us;
};

#define N_LIMITED 3

static void limited_figures(const struct load_figures *f, struct limited to[N_LIMITED])
{
	const struct load_figures_goals *g = &f->goals;
	to[0] = (struct limited){&f->ttft_intended, g->ttft_us};
	to[1] = (struct limited){&f->tpot, g->tpot_us};
	to[2] = (struct limited){&f->e2el_intended, g->e2el_us};
}

static bool any_limited_is(const struct load_figures *f, bool (*is_so)(const struct limited *))
{
	struct limited all[N_LIMITED];
	bool any = false;
	limited_figures(f, all);
	for (size_t i = 0; i < N_LIMITED && !any; i++) {
		any = all[i].limit_us && is_so(&all[i]);
	}
	return any;
}

static bool is_slow(const struct limited *l)
{
	double n = (double)l->h->n, slow = too_many(n);
	return slow <= n && histogram_quantile(l->h, (n - slow + 0.5) / n) > l->limit_us;
}

/* Whether too few answers have the limited figure for a verdict, however many answers there are.
 * For example, only few of them are streams. */
static bool has_too_few(const struct limited *l)
{
	return l->h->n > 0 && (double)l->h->n < MIN_ANSWERS && l->h->most > l->limit_us;
}

static uint64_t count_gauged(const struct load_figures *f)
{
	struct limited all[N_LIMITED];
	uint64_t n = f->completed + f->failed.total;
	limited_figures(f, all);
	for (size_t i = 0; i < N_LIMITED; i++) {
		n = all[i].limit_us && all[i].h->n > 0 ? MIN(all[i].h->n, n) : n;
	}
	return n;
}

/* Whether more than 1 % of the step's sends, and more than a few, went out late because of this
 * machine. */
static bool is_unsent(const struct load_figures *f)
{
	double few = f->lag.n ? (double)LATE_FEW / (double)f->lag.n : 1;
	return few < 1 && histogram_quantile(&f->lag, 1 - MAX(few, 0.01)) > LATE_US;
}

static enum step_verdict judge(const struct steps *all, const struct load_figures *f,
        const struct step *s, const struct step_moment *half, const struct step_moment *end,
        bool whole)
{
	if (!whole || ran_out(&s->offer)) {
		return STEP_CUT;
	}
	if (s->sent == 0) {
		return STEP_EMPTY;
	}
	if (is_unsent(f)) {
		return STEP_UNSENT;
	}
	if ((double)s->failed >= too_many((double)(s->completed + s->failed))) {
		return STEP_ERRORS;
	}
	double expected = expected_in_flight(all, s->rate, f);
	bool is_behind = falls_behind(expected, half, end);
	if (!is_offered(s) && !(is_behind && has_too_much(expected, half, end))) {
		return STEP_UNOFFERED;
	}
	if (is_behind) {
		return STEP_BEHIND;
	}
	if (any_limited_is(f, is_slow)) {
		return STEP_SLOW;
	}
	bool enough = is_conclusive(all, s, expected, half, end) && !any_limited_is(f, has_too_few);
	return enough ? STEP_HELD : STEP_FEW;
}

bool step_is_not_held(enum step_verdict v)
{
	return v == STEP_BEHIND || v == STEP_SLOW || v == STEP_ERRORS;
}

static double answered(const struct step_moment *half, const struct step_moment *end)
{
	double seconds = end->seconds - half->seconds;
	double over = sent_between(half, end) + (double)half->in_flight - (double)end->in_flight;
	return seconds > 0 ? MAX(over, 0.0) / seconds : 0;
}

/* Updates what the next rate depends on. again: the step before had the same rate. */
static void apply_verdict(
        struct steps *s, const struct step *step, const struct load_figures *f, bool again)
{
	s->tries = (again ? s->tries : 0) + (step->verdict != STEP_UNSENT);
	s->unsent = (again ? s->unsent : 0) + (step->verdict == STEP_UNSENT);
	if (passes(step->verdict)) {
		double took = (double)histogram_quantile(&f->e2el, 0.5) / 1e6;
		if (f->e2el.n > 0) {
			s->answer_seconds =
			        s->answer_seconds > 0 ? MIN(s->answer_seconds, took) : took;
		}
		s->highest_held = MAX(s->highest_held, step->rate);
	} else if (step_is_not_held(step->verdict) &&
	           (s->tries >= TRIES || s->pace->shape == PACE_STEPS)) {
		s->lowest_not_held =
		        s->lowest_not_held > 0 ? MIN(s->lowest_not_held, step->rate) : step->rate;
	}
}

void steps_add(struct steps *s, double rate, const struct load_figures *f,
        const struct step_moment *half, const struct step_moment *end, bool whole)
{
	expect(!s->over && s->n < STEPS_LIMIT);
	bool again = s->n > 0 && s->items[s->n - 1].rate == rate;
	struct step *to = &s->items[s->n++];
	*to = (struct step){
	        .rate = rate,
	        .sent = f->sent,
	        .completed = f->completed,
	        .failed = f->failed.total,
	        .offer = f->offer,
	        .offered = end->seconds > 0 ? (double)f->sent / end->seconds : 0,
	        .answered = answered(half, end),
	        .ttft_p50 = load_figures_quantile_ms(&f->ttft_intended, 0.5),
	        .ttft_p99 = load_figures_quantile_ms(&f->ttft_intended, 0.99),
	        .e2el_p50 = load_figures_quantile_ms(&f->e2el_intended, 0.5),
	        .e2el_p99 = load_figures_quantile_ms(&f->e2el_intended, 0.99),
	        .tpot_p99 = load_figures_quantile_ms(&f->tpot, 0.99),
	        .lag_p99 = load_figures_quantile_ms(&f->lag, 0.99),
	        .ungauged = f->ungauged,
	        .gauged = count_gauged(f),
	        .peak = f->peak,
	};
	to->verdict = judge(s, f, to, half, end, whole);
	apply_verdict(s, to, f, again);
}
