#include "replay/load_figures.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/clock.h"
#include "base/mem.h"

#define SPOILT_LAG_US 10000

static uint64_t us(uint64_t from, uint64_t to)
{
	return to > from ? (to - from) / 1000 : 0;
}

void load_figures_sent(struct load_figures *f, bool timed, bool blocked, uint64_t due, uint64_t now)
{
	f->sent++;
	f->in_flight++;
	f->peak = MAX(f->peak, f->in_flight);
	if (timed && blocked) {
		f->blocked++;
	} else if (timed) {
		histogram_add(&f->lag, us(due, now));
	}
}

void load_figures_await_retry(struct load_figures *f)
{
	f->in_flight--;
}

void load_figures_retry(struct load_figures *f, const char *why)
{
	f->in_flight++;
	f->peak = MAX(f->peak, f->in_flight);
	error_tally_add(&f->retries, why);
}

/* A day and a half. Tokens of later seconds are not counted. */
#define SECONDS_MOST ((size_t)1 << 17)

static void count_token(struct load_figures *f, uint64_t at, uint32_t n)
{
	size_t second = at > f->began ? (size_t)((at - f->began) / SECOND_NS) : 0;
	if (second >= SECONDS_MOST) {
		return;
	}
	if (second >= f->n_seconds) {
		size_t room = MAX(second + 1, 2 * f->n_seconds);
		f->tokens_by_second =
		        xrealloc(f->tokens_by_second, room * sizeof(*f->tokens_by_second));
		memset(f->tokens_by_second + f->n_seconds, 0,
		        (room - f->n_seconds) * sizeof(*f->tokens_by_second));
		f->n_seconds = room;
	}
	f->tokens_by_second[second] += n;
}

static void add_stream(struct load_figures *f, const struct load_figures_answer *a)
{
	const struct pulse *p = a->pulse;
	uint64_t at = p->first_choice;
	f->streams++;
	count_token(f, at, 1);
	histogram_add(&f->ttft, us(a->sent, p->first_choice));
	histogram_add(&f->ttft_intended, us(a->intended, p->first_choice));
	for (size_t i = 0; i < p->n_gaps; i++) {
		at += (uint64_t)p->gaps[i] * 1000;
		count_token(f, at, 1);
		histogram_add(&f->itl, p->gaps[i]);
	}
	if (p->first_content) {
		histogram_add(&f->first_token, us(a->sent, p->first_content));
	}
	if (p->first_output) {
		histogram_add(&f->first_output, us(a->sent, p->first_output));
	}
	if (p->usage.completion_tokens > 1) {
		uint64_t steps = (uint64_t)p->usage.completion_tokens - 1;
		histogram_add(&f->tpot, us(p->first_choice, p->last_choice) / steps);
		if (p->first_content) {
			histogram_add(&f->mean_itl, us(p->first_content, p->last_content) / steps);
		}
	}
}

/* Whether a measurable answer meets the goals. An answer of one token has no time per token. As
 * in vLLM, it counts as 0. */
static bool is_good(const struct load_figures *f, const struct load_figures_answer *a, uint64_t end)
{
	const struct load_figures_goals *g = &f->goals;
	const struct pulse *p = a->pulse;
	if (g->e2el_us && us(a->sent, end) > g->e2el_us) {
		return false;
	}
	if (g->ttft_us && us(a->sent, p->first_choice) > g->ttft_us) {
		return false;
	}
	return !g->tpot_us || p->usage.completion_tokens <= 1 ||
	       us(p->first_choice, p->last_choice) / (uint64_t)(p->usage.completion_tokens - 1) <=
	               g->tpot_us;
}

static void add_comparison(struct load_figures *f, const struct pulse *p)
{
	size_t at;
	if (!p->compared) {
		return;
	}
	f->compared++;
	if (pulse_differs(p, &at)) {
		f->differing++;
		histogram_add(&f->common, at);
	}
}

void load_figures_answer(struct load_figures *f, const struct load_figures_answer *a)
{
	const struct pulse *p = a->pulse;
	f->in_flight -= !a->was_awaiting_retry;
	f->last_end = MAX(f->last_end, a->ended);
	if (a->cancelled) {
		f->cancelled++;
		return;
	}
	if (a->warm_up) {
		f->warm_up++;
		if (a->failure) {
			error_tally_add(&f->warm_up_failed, a->failure);
		}
		return;
	}
	if (a->failure) {
		error_tally_add(&f->failed, a->failure);
		return;
	}
	f->completed++;
	add_comparison(f, p);
	bool stream = p->stream && p->n_choices;
	uint64_t end = stream ? p->last_choice : a->ended;
	histogram_add(&f->e2el, us(a->sent, end));
	histogram_add(&f->e2el_intended, us(a->intended, end));
	histogram_add(&f->queue, us(a->intended, a->sent));
	histogram_add(&f->request_latency,
	        us(a->sent, p->stream && p->last_content ? p->last_content : a->ended));
	if (p->usage.completion_tokens >= 0) {
		f->output_tokens += p->usage.completion_tokens;
		f->input_tokens += MAX(p->usage.prompt_tokens, 0);
	} else {
		f->without_usage++;
	}
	if (stream) {
		add_stream(f, a);
	}
	const struct load_figures_goals *g = &f->goals;
	/* Without a stream the time to the first token is unknown. Without a token count the time
	 * per token is unknown. */
	bool gauged = (!g->ttft_us || stream) &&
	              (!g->tpot_us || (stream && p->usage.completion_tokens >= 0));
	f->ungauged += !gauged;
	f->good += gauged && is_good(f, a, end);
}

/* The time from the start of the latest replay to its last answer. */
static uint64_t span(const struct load_figures *f)
{
	return f->last_end > f->resumed ? f->last_end - f->resumed : 0;
}

void load_figures_begin(struct load_figures *f, uint64_t now)
{
	if (f->sent > 0 && f->sent == f->warm_up + f->cancelled) {
		load_figures_restart(f, now); /* no answer so far is measured */
		return;
	}
	f->busy += span(f);
	f->began = f->began ? f->began : now;
	f->resumed = now;
}

void load_figures_restart(struct load_figures *f, uint64_t now)
{
	f->began = f->resumed = now;
	f->busy = 0;
}

uint64_t load_figures_answered(const struct load_figures *f)
{
	return f->completed + f->warm_up - f->warm_up_failed.total;
}

uint64_t load_figures_ended(const struct load_figures *f)
{
	return f->completed + f->failed.total + f->cancelled + f->warm_up;
}

uint64_t load_figures_failed(const struct load_figures *f)
{
	return f->failed.total + f->warm_up_failed.total;
}

uint32_t load_figures_most_tokens(const struct load_figures *f)
{
	uint32_t most = 0;
	for (size_t i = 0; i < f->n_seconds; i++) {
		most = MAX(most, f->tokens_by_second[i]);
	}
	return most;
}

double load_figures_seconds(const struct load_figures *f)
{
	return (double)(f->busy + span(f)) / 1e9;
}

double load_figures_per_second(const struct load_figures *f, double n)
{
	double seconds = load_figures_seconds(f);
	return seconds > 0 ? n / seconds : 0;
}

double load_figures_quantile_ms(const struct histogram *h, double q)
{
	return h->n ? (double)histogram_quantile(h, q) / 1000 : NAN;
}

double load_figures_mean_ms(const struct histogram *h)
{
	return h->n ? histogram_mean(h) / 1000 : NAN;
}

double load_figures_deviation_ms(const struct histogram *h)
{
	return h->n ? histogram_deviation(h) / 1000 : NAN;
}

bool load_figures_are_late(const struct load_figures *f)
{
	return f->lag.n > 0 && histogram_quantile(&f->lag, 0.99) > SPOILT_LAG_US;
}

#define N_HISTOGRAMS 13

static void list_histograms(struct load_figures *f, struct histogram *ret[N_HISTOGRAMS])
{
	struct histogram *const all[N_HISTOGRAMS] = {&f->ttft, &f->itl, &f->tpot, &f->e2el,
	        &f->ttft_intended, &f->e2el_intended, &f->queue, &f->first_token, &f->first_output,
	        &f->mean_itl, &f->request_latency, &f->lag, &f->common};
	memcpy(ret, all, sizeof(all));
}

void load_figures_merge(struct load_figures *f, const struct load_figures *from)
{
	struct histogram *to[N_HISTOGRAMS], *of[N_HISTOGRAMS];
	struct load_figures copy = *from; /* copies pointers that are only read through */
	if (from->began) {
		load_figures_begin(f, from->began);
		f->busy += from->busy;
		f->resumed = from->resumed;
		f->last_end = MAX(f->last_end, from->last_end);
	}
	uint64_t *const sums[] = {&f->sent, &f->completed, &f->warm_up, &f->good, &f->without_usage,
	        &f->streams, &f->injection_refused, &f->unlogged, &f->paused, &f->cancelled,
	        &f->compared, &f->differing, &f->blocked, &f->unthought, &f->ungauged, &f->undone};
	const uint64_t more[] = {from->sent, from->completed, from->warm_up, from->good,
	        from->without_usage, from->streams, from->injection_refused, from->unlogged,
	        from->paused, from->cancelled, from->compared, from->differing, from->blocked,
	        from->unthought, from->ungauged, from->undone};
	for (size_t i = 0; i < ARRAY_LEN(sums); i++) {
		*sums[i] += more[i];
	}
	/* Adds each second of `from` as a whole to the nearest second here. */
	for (size_t i = 0; i < from->n_seconds; i++) {
		count_token(
		        f, from->began + i * SECOND_NS + SECOND_NS / 2, from->tokens_by_second[i]);
	}
	f->input_tokens += from->input_tokens;
	f->output_tokens += from->output_tokens;
	f->peak = MAX(f->peak, from->peak);
	error_tally_merge(&f->failed, &from->failed);
	error_tally_merge(&f->warm_up_failed, &from->warm_up_failed);
	error_tally_merge(&f->retries, &from->retries);
	list_histograms(f, to);
	list_histograms(&copy, of);
	for (size_t i = 0; i < N_HISTOGRAMS; i++) {
		histogram_merge(to[i], of[i]);
	}
}

void load_figures_finish(struct load_figures *f)
{
	struct histogram *all[N_HISTOGRAMS];
	list_histograms(f, all);
	for (size_t i = 0; i < N_HISTOGRAMS; i++) {
		histogram_finish(all[i]);
	}
	error_tally_finish(&f->failed);
	error_tally_finish(&f->warm_up_failed);
	error_tally_finish(&f->retries);
	free(f->tokens_by_second);
	*f = (struct load_figures){0};
}
