#include "replay/replay_summary.h"

#include <inttypes.h>
#include <math.h>

#include "base/plural.h"
#include "base/terminal.h"

static void print_row(const char *name, const struct histogram *h, FILE *to)
{
	const double values[] = {load_figures_mean_ms(h), load_figures_quantile_ms(h, 0.5),
	        load_figures_quantile_ms(h, 0.9), load_figures_quantile_ms(h, 0.99),
	        load_figures_quantile_ms(h, 1)};
	fprintf(to, "  %-13s", name);
	for (size_t i = 0; i < ARRAY_LEN(values); i++) {
		if (isnan(values[i])) {
			fprintf(to, " %8s", "-");
		} else {
			fprintf(to, " %8.2f", values[i]);
		}
	}
	fputc('\n', to);
}

/* Prints the reasons in brackets; several with their counts. */
static void print_reasons(const struct error_tally *r, FILE *to)
{
	for (size_t i = 0; i < r->n; i++) {
		fprintf(to, "%s%s", i ? ", " : " (", r->items[i].why);
		if (r->n > 1) {
			fprintf(to, ": %" PRIu64, r->items[i].n);
		}
	}
	fputs(r->n ? ")" : "", to);
}

static void print_load(const struct replay_summary *r, FILE *to)
{
	static const char *const ARRIVALS[] = {
	        [ARRIVALS_CONSTANT] = "at equal intervals",
	        [ARRIVALS_POISSON] = "at random times (Poisson)",
	        [ARRIVALS_GAMMA] = "at random times (gamma)",
	};
	const struct runner_settings *s = r->load;
	struct buf pace = {0};
	switch (s->load) {
	case LOAD_CLOSED:
		fprintf(to, "%u in progress", s->concurrency);
		break;
	case LOAD_RATE:
		if (r->pace->shape == PACE_SATURATE) {
			size_t steps = r->steps ? r->steps->n : 0;
			fprintf(to, "%zu step%s of a search from %g requests/s, %g s each", steps,
			        plural(steps, "", "s"), r->pace->rates[0],
			        (double)r->pace->step / 1e9);
		} else {
			pace_put(r->pace, &pace);
			fputs(buf_cstr(&pace), to);
		}
		fprintf(to, ", %s", ARRIVALS[s->arrivals]);
		break;
	case LOAD_ORIGINAL:
		fprintf(to, "original timing at %gx", s->speed);
		break;
	}
	buf_finish(&pace);
}

static void print_times(const struct load_figures *f, FILE *to)
{
	fprintf(to, "\n  %-13s %8s %8s %8s %8s %8s\n", "milliseconds", "mean", "p50", "p90", "p99",
	        "most");
	print_row("TTFT", &f->ttft_intended, to);
	print_row("ITL", &f->itl, to);
	print_row("TPOT", &f->tpot, to);
	print_row("E2E", &f->e2el_intended, to);
	print_row("queue", &f->queue, to);
	if (f->lag.n) {
		print_row("schedule lag", &f->lag, to);
	}
	if (f->completed > 0) {
		fputs("  TTFT: to the first token. ITL: between events. TPOT: for each further "
		      "token. E2E: to the end. Queue: before sending.\n",
		        to);
	}
	if (f->completed > 0 && f->streams == 0) {
		fputs("  TTFT, ITL and TPOT need streams, and no answer was streamed.\n", to);
	} else if (f->streams < f->completed) {
		fprintf(to, "  TTFT, ITL and TPOT are of streamed answers only (%" PRIu64 ").\n",
		        f->streams);
	}
	if (f->lag.n || f->blocked) {
		fputs("  TTFT and E2E count from the scheduled time of the request.\n", to);
	}
}

static void print_schedule(const struct replay_summary *r, FILE *to)
{
	const struct load_figures *f = r->figures;
	if (f->blocked) {
		fprintf(to, "  %" PRIu64 " %s waited for the turn before or for a free slot.\n",
		        f->blocked, plural(f->blocked, "request", "requests"));
	}
	if (f->paused) {
		fprintf(to,
		        "  THE LOAD WAS REDUCED for about %.1f s, because the disk could not keep "
		        "up.\n",
		        (double)f->paused * 0.002);
	}
	if (load_figures_are_late(f)) {
		fprintf(to,
		        "  THE SCHEDULE WAS NOT KEPT: p99 of its lag is %.1f ms. The times "
		        "describe this machine more than the engine.\n",
		        load_figures_quantile_ms(&f->lag, 0.99));
	}
}

/* Prints what is left, for steps that ran to their end. */
static void print_left(const struct replay_summary *r, FILE *to)
{
	uint64_t never = r->result->left - r->left_due;
	if (r->left_due) {
		fprintf(to, "%" PRIu64 " %s due but not sent, because the steps ended first.\n",
		        r->left_due, plural(r->left_due, "request was", "requests were"));
	}
	if (never) {
		fprintf(to, "%" PRIu64 " %s never due: the steps needed no more.\n", never,
		        plural(never, "request was", "requests were"));
	}
}

static void print_end(const struct replay_summary *r, FILE *to)
{
	static const char *const WHY[] = {
	        [RUNNER_TIME] = "The duration is over",
	        [RUNNER_STOPPED] = "Stopped",
	        [RUNNER_ERRORS] = "Stopped: more errors than --stop-on-errors allows",
	        [RUNNER_GONE] = "Stopped: the target can no longer be reached",
	        [RUNNER_DISK] = "Stopped: the capture can't be written",
	};
	if (r->measured) {
		print_left(r, to);
	} else if (r->result->end != RUNNER_DONE || r->result->left) {
		fprintf(to, "%s; %" PRIu64 " left. Run the same command to continue.\n",
		        r->result->end == RUNNER_DONE ? "Not all requests could be sent"
		                                      : WHY[r->result->end],
		        r->result->left);
	}
	if (r->lost) {
		fprintf(to, "%" PRIu64 " %s could not be written to the capture.\n", r->lost,
		        plural(r->lost, "answer", "answers"));
	}
}

static void print_name(const struct replay_summary *r, FILE *to)
{
	const struct target *t = r->target;
	if (r->load->shares) {
		fprintf(to, "%zu engines in turn", r->load->n_targets);
		return;
	}
	fprintf(to, "%s (%s%s%s)", t->name, t->dialect->title, r->version ? " " : "",
	        r->version ? r->version : "");
}

/* Prints the result of each of several targets. */
static void print_shares(const struct runner_settings *s, FILE *to)
{
	for (size_t i = 0; i < s->n_targets && s->shares; i++) {
		const struct load_figures *f = &s->shares[i];
		fprintf(to, "  %s: %" PRIu64 " answered", s->targets[i]->name,
		        load_figures_answered(f));
		if (f->failed.total) {
			fprintf(to, ", %" PRIu64 " failed", f->failed.total);
			print_reasons(&f->failed, to);
		}
		if (f->warm_up_failed.total) {
			fprintf(to, ", %" PRIu64 " of the warm-up failed", f->warm_up_failed.total);
			print_reasons(&f->warm_up_failed, to);
		}
		if (f->retries.total) {
			fprintf(to, ", %" PRIu64 " %s", f->retries.total,
			        plural(f->retries.total, "retry", "retries"));
			print_reasons(&f->retries, to);
		}
		if (f->e2el_intended.n) {
			fprintf(to, "; E2E %.0f/%.0f ms",
			        load_figures_quantile_ms(&f->e2el_intended, 0.5),
			        load_figures_quantile_ms(&f->e2el_intended, 0.99));
		}
		fputs(".\n", to);
	}
}

/* Prints how many requests count in no figure, or belong to an earlier process. */
static void print_uncounted(const struct replay_summary *r, FILE *to)
{
	const struct load_figures *f = r->figures;
	if (r->before) {
		fprintf(to, "  %" PRIu64 " %s been answered before.\n", r->before,
		        plural(r->before, "request had", "requests had"));
	}
	if (r->again) {
		fprintf(to,
		        "  %" PRIu64
		        " %s sent again: the capture no longer has an answer (crash or prune).\n",
		        r->again, plural(r->again, "request was", "requests were"));
	}
	if (f->warm_up) {
		fprintf(to, "  %" PRIu64 " more %s warm-up: recorded, but in no figure.\n",
		        f->warm_up, plural(f->warm_up, "request was", "requests were"));
		error_tally_print(&f->warm_up_failed, "  ", "of these failed", to);
		if (f->warm_up + f->cancelled == f->sent) {
			fprintf(to, "  NOTHING WAS MEASURED: all requests were warm-up%s.\n",
			        f->cancelled ? " or cancelled" : "");
		}
	}
	if (f->cancelled) {
		fprintf(to, "  %" PRIu64 " %s cancelled on purpose (--cancel): in no figure.\n",
		        f->cancelled, plural(f->cancelled, "request was", "requests were"));
	}
}

static void print_differing(const struct load_figures *f, FILE *to)
{
	if (f->compared) {
		fprintf(to, "  %" PRIu64 " of %" PRIu64 " texts differ from the recorded ones",
		        f->differing, f->compared);
		fprintf(to,
		        f->differing ? "; their median first difference is at byte %" PRIu64 ".\n"
		                     : ".\n",
		        histogram_quantile(&f->common, 0.5) + 1);
	}
}

/* Prints what was not sent, not answered, or not answered at the first try. */
static void print_failures(const struct replay_summary *r, FILE *to)
{
	const struct load_figures *f = r->figures;
	error_tally_print(&f->failed, "  ", "failed", to);
	error_tally_print(&r->result->unfit, "  ", "can't be sent", to);
	error_tally_print(r->scan->unfit, "  ", "can't be replayed", to);
	if (r->scan->redacted) {
		fprintf(to, "  %" PRIu64 " %s contained placeholders for private text.\n",
		        r->scan->redacted, plural(r->scan->redacted, "request", "requests"));
	}
	error_tally_print(&f->retries, "  ", "sent again after a pause", to);
	if (f->injection_refused) {
		fprintf(to,
		        "  %" PRIu64 " %s sent again without a request for logprobs and usage.\n",
		        f->injection_refused,
		        plural(f->injection_refused, "request was", "requests were"));
	}
}

static void print_throughput(const struct replay_summary *r, FILE *to)
{
	const struct load_figures *f = r->figures;
	double requests = load_figures_per_second(f, (double)f->completed);
	fprintf(to, "  %s%.*f requests/s; tokens/s: %.0f out, %.0f in",
	        r->steps ? "All steps together: " : "", requests < 100 ? 2 : 0, requests,
	        load_figures_per_second(f, (double)f->output_tokens),
	        load_figures_per_second(f, (double)f->input_tokens));
	if (r->load->load != LOAD_CLOSED || f->peak != r->load->concurrency) {
		fprintf(to, "; at most %u in progress", f->peak);
	}
	if (f->goals.ttft_us || f->goals.tpot_us || f->goals.e2el_us) {
		fprintf(to, "; goodput %.2f requests/s",
		        load_figures_per_second(f, (double)f->good));
	}
	fputs("\n", to);
	if (f->ungauged) {
		fprintf(to,
		        "  %" PRIu64 " of %" PRIu64
		        " answers lack a figure that --goodput limits (TTFT and TPOT need a "
		        "stream, TPOT a token count): %s.\n",
		        f->ungauged, f->completed,
		        r->steps ? "steps are judged without them" : "they do not count as good");
	}
	if (f->without_usage) {
		fprintf(to, "  %" PRIu64 " %s no token count.\n", f->without_usage,
		        plural(f->without_usage, "answer has", "answers have"));
	}
	if (f->unthought) {
		fprintf(to,
		        "  %" PRIu64 " later %s sent without a pause, because the capture has no "
		        "times for --think.\n",
		        f->unthought, plural(f->unthought, "turn was", "turns were"));
	}
}

void replay_summary_text(const struct replay_summary *r, FILE *screen)
{
	const struct load_figures *f = r->figures;
	struct terminal_text text;
	FILE *to = terminal_begin(&text);
	fprintf(to, "%" PRIu64 " of %" PRIu64 " requests answered by ", f->completed,
	        r->sends - r->before);
	print_name(r, to);
	double seconds = load_figures_seconds(f);
	if (seconds < 1) {
		fprintf(to, " in %.0f ms, ", ceil(seconds * 1000));
	} else {
		fprintf(to, " in %.1f s, ", seconds);
	}
	print_load(r, to);
	fputs(".\n", to);
	print_shares(r->load, to);
	print_uncounted(r, to);
	print_differing(f, to);
	print_failures(r, to);
	print_throughput(r, to);
	if (r->steps) {
		steps_text(r->steps, to);
	} else {
		print_times(f, to);
		print_schedule(r, to);
	}
	print_end(r, to);
	terminal_end(&text, screen);
}
