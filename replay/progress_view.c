#include "replay/progress_view.h"

#include <inttypes.h>

#include "base/clock.h"
#include "base/plural.h"
#include "capture/record_json.h"

void progress_view_init(struct progress_view *v, bool json)
{
	*v = (struct progress_view){.json = json};
	progress_begin(&v->progress);
	if (json) {
		v->progress.every = SECOND_NS;
	}
}

static void begin_event(struct json_writer *w, const char *event)
{
	json_writer_open(w, NULL, '{');
	json_writer_text(w, "event", event);
}

static void print_event(struct json_writer *w)
{
	json_writer_close(w, "}");
	buf_append_char(w->to, '\n');
	fwrite(w->to->data, 1, w->to->len, stdout);
	fflush(stdout);
	buf_finish(w->to);
}

static void print_start(const struct replay_summary *r)
{
	bool several = r->load->shares;
	struct buf b = {0};
	struct json_writer w = {.to = &b};
	begin_event(&w, "start");
	record_json_text(&w, "backend", several ? NULL : r->target->name);
	record_json_text(&w, "url", several ? NULL : r->target->url);
	record_json_id(&w, "run", r->run);
	json_writer_count(&w, "requests", r->sends);
	json_writer_count(&w, "before", r->before);
	json_writer_count(&w, "sent_again", r->again);
	print_event(&w);
}

void progress_view_begin(struct progress_view *v, const struct replay_summary *r)
{
	char id[ID_TEXT_SIZE];
	const struct target *t = r->target;
	const struct runner_settings *s = r->load;
	if (v->json) {
		print_start(r);
		return;
	}
	uint64_t sends = r->sends - r->before;
	fprintf(stderr, "plumbline replay: %" PRIu64 " %s", sends,
	        plural(sends, "request", "requests"));
	if (s->shares) {
		fputs(", each to one of\n", stderr);
		for (size_t i = 0; i < s->n_targets; i++) {
			fprintf(stderr, "  %s at %s\n", s->targets[i]->name, s->targets[i]->url);
		}
	} else {
		fprintf(stderr, " to %s\n  engine: %s%s%s at %s\n", t->name, t->dialect->title,
		        r->version ? " " : "", r->version ? r->version : "", t->url);
	}
	fprintf(stderr, "  run: %s%s\n", id_format(r->run, id), r->before ? " (continued)" : "");
}

void progress_view_pass(struct progress_view *v, const struct replay_summary *r, uint32_t repeat)
{
	struct buf b = {0};
	struct json_writer w = {.to = &b};
	v->figures = NULL;
	begin_event(&w, "pass");
	json_writer_string(&w, "source", span_of(r->source));
	record_json_text(&w, "backend", r->target->name);
	record_json_id(&w, "run", r->run);
	json_writer_count(&w, "concurrency", r->load->concurrency);
	json_writer_count(&w, "repeat", repeat);
	print_event(&w);
}

static void print_progress(
        const struct load_figures *f, uint64_t left, double seconds, double rate, double now)
{
	struct buf b = {0};
	struct json_writer w = {.to = &b};
	begin_event(&w, "progress");
	json_writer_printf(&w, "seconds", "%.3f", seconds);
	json_writer_count(&w, "sent", f->sent);
	json_writer_count(&w, "completed", f->completed);
	json_writer_count(&w, "failed", f->failed.total);
	json_writer_count(&w, "cancelled", f->cancelled);
	json_writer_count(&w, "retries", f->retries.total);
	json_writer_count(&w, "in_flight", f->in_flight);
	json_writer_count(&w, "left", left);
	json_writer_printf(&w, "rate", "%.3f", rate);
	json_writer_printf(&w, "rate_now", "%.3f", now);
	json_writer_number(&w, "ttft_p50_ms", load_figures_quantile_ms(&f->ttft_intended, 0.5));
	json_writer_number(&w, "ttft_p99_ms", load_figures_quantile_ms(&f->ttft_intended, 0.99));
	json_writer_number(&w, "itl_p50_ms", load_figures_quantile_ms(&f->itl, 0.5));
	json_writer_number(&w, "itl_p99_ms", load_figures_quantile_ms(&f->itl, 0.99));
	json_writer_count(&w, "compared", f->compared);
	json_writer_count(&w, "differing", f->differing);
	json_writer_count(&w, "parted", f->differing); /* its former name, for one release */
	replay_summary_put_reasons(&w, "errors", &f->failed);
	print_event(&w);
}

/* The first kinds of errors, which are probably the cause. */
static void add_errors(struct progress *p, const struct error_tally *r)
{
	for (size_t i = 0; i < MIN(r->n, (size_t)3); i++) {
		progress_add(p, "%" PRIu64 " failed: %.40s", r->items[i].n, r->items[i].why);
	}
	if (r->n > 3) {
		progress_add(p, "...");
	}
}

/* What matters most comes first: a narrow terminal has no room for the rest. */
static void show_line(
        struct progress_view *v, const struct load_figures *f, uint64_t left, double rate)
{
	struct progress *p = &v->progress;
	uint64_t done = v->done + load_figures_ended(f);
	progress_line(p, v->target, done, v->total ? v->total : done + left, rate);
	if (!v->may_fail) {
		add_errors(p, &f->failed);
	}
	if (f->warm_up_failed.total) {
		progress_add(p, "%" PRIu64 " of the warm-up failed", f->warm_up_failed.total);
	}
	if (f->retries.total) {
		progress_add(p, "%" PRIu64 " sent again", f->retries.total);
	}
	if (f->cancelled) {
		progress_add(p, "%" PRIu64 " cancelled", f->cancelled);
	}
	if (f->compared) {
		progress_add(p, "%" PRIu64 " of %" PRIu64 " differ from the recorded ones",
		        f->differing, f->compared);
	}
	progress_add(p, "%u in progress", f->in_flight);
	if (f->ttft_intended.n) {
		progress_add(p, "TTFT %.0f/%.0f ms",
		        load_figures_quantile_ms(&f->ttft_intended, 0.5),
		        load_figures_quantile_ms(&f->ttft_intended, 0.99));
	}
	if (f->itl.n) {
		progress_add(p, "ITL %.1f/%.1f ms", load_figures_quantile_ms(&f->itl, 0.5),
		        load_figures_quantile_ms(&f->itl, 0.99));
	}
	progress_show(p);
}

/* Outside of a campaign each pass and each step has a rate of its own. */
static double recent_rate(
        struct progress_view *v, const struct load_figures *f, uint64_t all, uint64_t now)
{
	if ((v->total == 0 && v->figures != f) || all < v->progress.marks[1].done) {
		v->figures = f;
		progress_restart(&v->progress, f->began ? f->began : now, 0);
	}
	return progress_rate(&v->progress, all, now);
}

void progress_view_step(struct progress_view *v, const struct step *s)
{
	struct buf b = {0};
	struct json_writer w = {.to = &b};
	v->figures = NULL;
	if (v->json) {
		begin_event(&w, "step");
		step_json(&w, "step", s);
		print_event(&w);
	} else {
		fprintf(stderr, "%.3g a second: %s (%.3g answered", s->rate,
		        step_verdict_text(s->verdict), s->answered);
		if (s->completed) {
			fprintf(stderr, ", E2E p99 %.0f ms", s->e2el_p99);
		}
		fputs(")\n", stderr);
	}
}

void progress_view_tick(void *arg, const struct load_figures *f, uint64_t left, bool last)
{
	struct progress_view *v = arg;
	uint64_t now = clock_mono();
	double seconds = f->began && now > f->began ? (double)(now - f->began) / 1e9 : 0;
	if (last) {
		progress_clear(&v->progress);
		return;
	}
	if (!progress_is_due(&v->progress, now)) {
		return;
	}
	double recent = recent_rate(v, f, v->done + load_figures_ended(f), now);
	if (v->json) {
		double rate = seconds > 0 ? (double)load_figures_ended(f) / seconds : 0;
		print_progress(f, left, seconds, rate, recent);
	} else {
		show_line(v, f, left, recent);
	}
}
