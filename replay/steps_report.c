/*
 * steps_report - the results of an open loop's steps, as text and as JSON.
 */
#include <inttypes.h>
#include <math.h>

#include "base/enum_names.h"
#include "base/json_writer.h"
#include "replay/steps.h"

#define STEPS_SHOWN ((size_t)5) /* rows of the table */

ENUM_NAMES(step_verdict_text, enum step_verdict, "sustained", "behind", "over limit", "errors",
        "not sent", "not offered", "too few", "empty", "cut short");
ENUM_NAMES(step_verdict_name, enum step_verdict, "held", "behind", "slow", "errors", "unsent",
        "unoffered", "few", "empty", "cut");
static ENUM_NAMES(end_name, enum steps_end, "done", "knee", "few", "machine", "unoffered", "short",
        "limit", "cut", "cut", "cut");

static const struct step *not_held_step(const struct steps *s)
{
	const struct step *not_held = NULL;
	for (size_t i = 0; i < s->n; i++) {
		const struct step *each = &s->items[i];
		bool is_it = s->lowest_not_held > 0 && each->rate == s->lowest_not_held &&
		             step_is_not_held(each->verdict);
		not_held = is_it ? each : not_held;
	}
	return not_held;
}

/* The highest rate with this verdict; 0: none. */
static double highest_rate(const struct steps *s, enum step_verdict v)
{
	double most = 0;
	for (size_t i = 0; i < s->n; i++) {
		const struct step *each = &s->items[i];
		most = each->verdict == v ? MAX(most, each->rate) : most;
	}
	return most;
}

/* The number of requests that were due but can never be sent (unfit). */
static uint64_t step_unfit(const struct step *s)
{
	uint64_t others = s->sent + s->offer.waiting;
	return s->offer.due > others ? s->offer.due - others : 0;
}

/* A table cell: "12.3", or "-" if there is no such figure. */
struct cell {
	char text[24];
};

static struct cell cell(double ms, int digits)
{
	struct cell c = {"-"};
	if (!isnan(ms)) {
		snprintf(c.text, sizeof(c.text), "%.*f", digits, ms);
	}
	return c;
}

/* The main reason why requests were not sent. */
static const char *what_limits_load(const struct step *s)
{
	uint64_t turns = s->offer.waiting - s->offer.without_slot;
	uint64_t unfit = step_unfit(s);
	if (s->offer.due == 0) {
		return "no request was left to send";
	}
	if (turns >= s->offer.without_slot && turns >= unfit) {
		return "sessions limit the load, because turns wait for the answers before them "
		       "(longer steps and --order shuffled help)";
	}
	return unfit > s->offer.without_slot ? "requests can't be sent"
	                                     : "the concurrency limit is reached";
}

static void print_not_held(const struct step *s, FILE *to)
{
	switch (s->verdict) {
	case STEP_BEHIND:
		fprintf(to, "at %g the engine no longer keeps up (%.3g answers a second)", s->rate,
		        s->answered);
		break;
	case STEP_SLOW:
		fprintf(to, "at %g the p99 of a figure is over its --goodput limit", s->rate);
		break;
	case STEP_ERRORS:
		fprintf(to, "at %g there are errors (%" PRIu64 " of %" PRIu64 ")", s->rate,
		        s->failed, s->failed + s->completed);
		break;
	case STEP_HELD:
	case STEP_UNSENT:
	case STEP_UNOFFERED:
	case STEP_FEW:
	case STEP_EMPTY:
	case STEP_CUT:
		fprintf(to, "%g was not sustained", s->rate);
		break;
	}
}

/* Why nothing is known about rates above the one that was held. */
static const char *why_not_higher(const struct steps *s, double held)
{
	return highest_rate(s, STEP_UNSENT) > held ? "could be sent in time"
	       : highest_rate(s, STEP_UNOFFERED) > held || highest_rate(s, STEP_EMPTY) > held
	               ? "could be offered"
	               : "was tried";
}

static void print_few(const struct steps *s, const struct step *few, FILE *to)
{
	double step = (double)s->pace->step / 1e9;
	bool all = few->gauged == few->completed + few->failed;
	fprintf(to,
	        "  It is not known whether %g requests/s are too many: a step of %g s gave %" PRIu64
	        " answers%s, which are too few; --step %.0fs gives enough",
	        few->rate, step, few->gauged, all ? "" : " with the figure that a limit is on",
	        steps_sufficient_seconds(s, few));
}

static void print_knee(const struct steps *s, FILE *to)
{
	const struct step *knee = steps_knee(s), *few = steps_few(s), *not_held = not_held_step(s);
	if (knee && not_held) {
		fprintf(to, "  Saturation point (knee): the engine sustained %g requests/s; ",
		        knee->rate);
	} else if (knee) {
		fprintf(to,
		        "  No saturation point was reached: the engine sustained %g requests/s, "
		        "the most that %s",
		        knee->rate, why_not_higher(s, knee->rate));
	} else if (few) {
		print_few(s, few, to);
		fputs(not_held ? "; " : "", to);
	} else if (not_held) {
		fputs("  The engine sustained no rate; ", to);
	} else {
		fputs("  No rate was sustained, but no step shows that the engine is the reason",
		        to);
	}
	if (not_held) {
		print_not_held(not_held, to);
	}
	fputs(".\n", to);
	if (knee) {
		fprintf(to,
		        "  The %" PRIu64
		        " answers of this step measure a rate to within %.0f %% (95 %%).\n",
		        knee->completed + knee->failed, 100 * step_within(knee));
	}
}

/* Reports the result of a search that ended because this machine could not send fast enough. */
static void print_machine(const struct steps *s, FILE *to)
{
	const struct step *knee = steps_knee(s);
	const struct step *last = &s->items[s->n - 1];
	if (last->verdict != STEP_UNSENT) {
		fputs("  No higher rate was sent. The engine may sustain more.\n", to);
	} else if (s->lowest_not_held > 0 && knee) {
		fprintf(to,
		        "  It lies between %g and %g: this machine could not send the rates "
		        "between them in time.\n",
		        knee->rate, s->lowest_not_held);
	} else if (s->lowest_not_held > 0) {
		fprintf(to, "  THIS MACHINE could not send %g, a lower rate, in time.\n",
		        last->rate);
	} else {
		fputs("  THIS MACHINE CAN'T SEND MORE: its own lag is over 10 ms. The engine may "
		      "sustain more.\n",
		        to);
	}
}

/* Reports the latest rate that was not offered. It says nothing about the engine. */
static void print_unoffered(const struct steps *s, FILE *to)
{
	const struct step *of = NULL;
	for (size_t i = 0; i < s->n; i++) {
		enum step_verdict v = s->items[i].verdict;
		of = v == STEP_UNOFFERED || v == STEP_EMPTY ? &s->items[i] : of;
	}
	if (of) {
		fprintf(to,
		        "  THE RATE %g WAS NOT OFFERED: %" PRIu64 " of %" PRIu64
		        " that were due were sent (%.3g a second): %s. The engine may sustain "
		        "more.\n",
		        of->rate, of->sent, of->offer.due, of->offered, what_limits_load(of));
	}
}

static void print_steps_end(const struct steps *s, FILE *to)
{
	switch (s->end) {
	case STEPS_MACHINE:
		print_machine(s, to);
		break;
	case STEPS_SHORT:
		fputs("  An answer takes too long for steps this short: give a longer --step, or "
		      "begin with a lower rate (--rate saturate:0.2).\n",
		        to);
		break;
	case STEPS_TIME:
		fputs("  No further step was made: --duration leaves no time for one.\n", to);
		break;
	case STEPS_EXHAUSTED:
		fputs("  No further step was made: no request was left.\n", to);
		break;
	case STEPS_CUT:
		fputs("  No further step was made: the replay was stopped.\n", to);
		break;
	case STEPS_LIMIT_REACHED:
		fputs("  The search stopped at the largest number of steps.\n", to);
		break;
	case STEPS_DONE:
	case STEPS_KNEE:
	case STEPS_FEW:
	case STEPS_UNOFFERED:
		break;
	}
}

void steps_text(const struct steps *s, FILE *to)
{
	print_knee(s, to);
	print_steps_end(s, to);
	print_unoffered(s, to);
	fprintf(to, "\n  %6s %8s %6s %7s %7s %7s  verdict\n", "rate", "answered", "failed", "TTFT",
	        "E2E", "TPOT");
	for (size_t i = s->n - MIN(s->n, STEPS_SHOWN); i < s->n; i++) {
		const struct step *e = &s->items[i];
		fprintf(to, "  %6.3g %8.3g %6" PRIu64 " %7s %7s %7s  %s\n", e->rate, e->answered,
		        e->failed, cell(e->ttft_p99, 1).text, cell(e->e2el_p99, 1).text,
		        cell(e->tpot_p99, 1).text, step_verdict_text(e->verdict));
	}
	fputs("  Rate, answered: requests and answers a second. TTFT (first token), E2E (whole "
	      "answer), TPOT (further tokens): p99 in ms.\n",
	        to);
	if (s->n > STEPS_SHOWN) {
		fprintf(to, "  These are the last of %zu steps; --json has all.\n", s->n);
	}
}

void step_json(struct json_writer *w, const char *key, const struct step *s)
{
	if (!s) {
		json_writer_null(w, key);
		return;
	}
	json_writer_open(w, key, '{');
	json_writer_number(w, "rate", s->rate);
	json_writer_text(w, "verdict", step_verdict_name(s->verdict));
	json_writer_number(w, "offered", s->offered);
	json_writer_number(w, "answered", s->answered);
	json_writer_number(w, "within", step_within(s));
	json_writer_count(w, "due", s->offer.due);
	json_writer_count(w, "sent", s->sent);
	json_writer_count(w, "waiting", s->offer.waiting);
	json_writer_count(w, "unfit", step_unfit(s));
	json_writer_count(w, "completed", s->completed);
	json_writer_count(w, "failed", s->failed);
	json_writer_count(w, "ungauged", s->ungauged);
	json_writer_count(w, "max_in_flight", s->peak);
	json_writer_number(w, "ttft_p50_ms", s->ttft_p50);
	json_writer_number(w, "ttft_p99_ms", s->ttft_p99);
	json_writer_number(w, "e2el_p50_ms", s->e2el_p50);
	json_writer_number(w, "e2el_p99_ms", s->e2el_p99);
	json_writer_number(w, "tpot_p99_ms", s->tpot_p99);
	json_writer_number(w, "lag_p99_ms", s->lag_p99);
	json_writer_close(w, "}");
}

void steps_json(struct json_writer *w, const struct steps *s)
{
	json_writer_open(w, "steps", '[');
	for (size_t i = 0; i < s->n; i++) {
		step_json(w, NULL, &s->items[i]);
	}
	json_writer_close(w, "]");
	json_writer_text(w, "search", end_name(s->end));
	step_json(w, "knee", steps_knee(s));
	step_json(w, "not_held", not_held_step(s));
}
