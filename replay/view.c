#include "replay/view.h"

#include <inttypes.h>
#include <math.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/json.h"
#include "base/terminal.h"

#define SECOND_NS UINT64_C(1000000000)
#define LINE_NS (10 * SECOND_NS)
#define MARK_NS (5 * SECOND_NS) /* a rate is measured over this time or up to twice as long */
#define BAR_WIDTH 20

void view_init(struct view *v, bool json)
{
	*v = (struct view){.json = json, .terminal = isatty(STDERR_FILENO), .shown = clock_mono()};
	v->marks[0].at = v->marks[1].at = v->shown;
}

static void put(struct buf *to, const char *name, const char *value)
{
	buf_printf(to, ",\"%s\":", name);
	json_put_string(to, span_of(value));
}

static void begin_several(const struct summary *r)
{
	char id[ID_TEXT_SIZE];
	const struct runner_settings *s = r->load;
	fprintf(stderr, "plumbline replay: %" PRIu64 " requests, each to one of ",
	        r->sends - r->before);
	for (size_t i = 0; i < s->n_targets; i++) {
		fprintf(stderr, "%s%s (%s)", i ? ", " : "", s->targets[i]->name,
		        s->targets[i]->url);
	}
	fprintf(stderr, ", run %s%s\n", id_format(r->run, id), r->before ? ", gone on with" : "");
}

void view_begin(struct view *v, const struct summary *r)
{
	char id[ID_TEXT_SIZE];
	const struct target *t = r->target;
	if (!v->json && r->load->shares) {
		begin_several(r);
		return;
	}
	if (!v->json) {
		fprintf(stderr,
		        "plumbline replay: %" PRIu64 " requests to %s (%s, %s%s%s), run %s%s\n",
		        r->sends - r->before, t->name, t->url, t->dialect->title,
		        r->version ? " " : "", r->version ? r->version : "", id_format(r->run, id),
		        r->before ? ", gone on with" : "");
		return;
	}
	struct buf b = {0};
	buf_append_str(&b, "{\"event\":\"start\"");
	if (r->load->shares) {
		buf_append_str(&b, ",\"backend\":null,\"url\":null");
	} else {
		put(&b, "backend", t->name);
		put(&b, "url", t->url);
	}
	put(&b, "run", id_format(r->run, id));
	buf_printf(&b,
	        ",\"requests\":%" PRIu64 ",\"before\":%" PRIu64 ",\"sent_again\":%" PRIu64 "}\n",
	        r->sends, r->before, r->again);
	fwrite(b.data, 1, b.len, stdout);
	fflush(stdout);
	buf_finish(&b);
}

void view_pass(struct view *v, const struct summary *r, uint32_t repeat)
{
	char id[ID_TEXT_SIZE];
	struct buf b = {0};
	v->of = NULL;
	buf_append_str(&b, "{\"event\":\"pass\"");
	put(&b, "source", r->source);
	put(&b, "backend", r->target->name);
	put(&b, "run", id_format(r->run, id));
	buf_printf(
	        &b, ",\"concurrency\":%u,\"repeat\":%" PRIu32 "}\n", r->load->concurrency, repeat);
	fwrite(b.data, 1, b.len, stdout);
	fflush(stdout);
	buf_finish(&b);
}

static void tell_json(
        const struct figures *f, uint64_t left, double seconds, double rate, double now)
{
	struct buf b = {0};
	buf_printf(&b,
	        "{\"event\":\"progress\",\"seconds\":%.3f,\"sent\":%" PRIu64
	        ",\"completed\":%" PRIu64 ",\"failed\":%" PRIu64 ",\"cancelled\":%" PRIu64
	        ",\"retries\":%" PRIu64 ",\"in_flight\":%u,\"left\":%" PRIu64
	        ",\"rate\":%.3f,\"rate_now\":%.3f",
	        seconds, f->sent, f->completed, f->failed.total, f->cancelled, f->retries.total,
	        f->in_flight, left, rate, now);
	const struct {
		const char *name;
		double ms;
	} times[] = {
	        {"ttft_p50_ms", figures_quantile_ms(&f->ttft_intended, 0.5)},
	        {"ttft_p99_ms", figures_quantile_ms(&f->ttft_intended, 0.99)},
	        {"itl_p50_ms", figures_quantile_ms(&f->itl, 0.5)},
	        {"itl_p99_ms", figures_quantile_ms(&f->itl, 0.99)},
	};
	for (size_t i = 0; i < ARRAY_LEN(times); i++) {
		buf_printf(&b, ",\"%s\":", times[i].name);
		json_put_number(&b, times[i].ms);
	}
	buf_printf(&b,
	        ",\"compared\":%" PRIu64 ",\"differing\":%" PRIu64 ",\"parted\":%" PRIu64
	        ",\"errors\":[",
	        f->compared, f->differing, f->differing); /* parted: for one release */
	for (size_t i = 0; i < f->failed.n; i++) {
		buf_append_str(&b, i ? ",{\"why\":" : "{\"why\":");
		json_put_string(&b, span_of(f->failed.items[i].why));
		buf_printf(&b, ",\"n\":%" PRIu64 "}", f->failed.items[i].n);
	}
	buf_append_str(&b, "]}\n");
	fwrite(b.data, 1, b.len, stdout);
	fflush(stdout);
	buf_finish(&b);
}

static uint64_t over(const struct figures *f)
{
	return f->completed + f->failed.total + f->cancelled + f->warm_up;
}

/* Prints the first kinds of errors, which are probably the cause. */
static void put_errors(struct buf *to, const struct error_tally *r)
{
	for (size_t i = 0; i < MIN(r->n, (size_t)3); i++) {
		buf_printf(to, i ? ", %" PRIu64 " %.40s" : ", failed: %" PRIu64 " %.40s",
		        r->items[i].n, r->items[i].why);
	}
	buf_append_str(to, r->n > 3 ? ", ..." : "");
}

static void put_bar(struct buf *to, double share)
{
	size_t filled = (size_t)(share * BAR_WIDTH);
	buf_append_char(to, '[');
	for (size_t i = 0; i < BAR_WIDTH; i++) {
		buf_append_char(to, i < filled ? '#' : '-');
	}
	buf_append_str(to, "] ");
}

static void put_time(struct buf *to, double seconds)
{
	if (seconds < 100) {
		buf_printf(to, ", %.0f s left", ceil(seconds));
	} else if (seconds < 6000) {
		buf_printf(to, ", %.0f min left", ceil(seconds / 60));
	} else {
		buf_printf(to, ", %.1f h left", seconds / 3600);
	}
}

/* "old [#####---------------] 25 %, 240 of 960, 22/s, 33 s left" */
static void put_line(
        struct buf *to, const struct view *v, const struct figures *f, uint64_t left, double rate)
{
	uint64_t all = v->done + over(f), total = v->total ? v->total : all + left;
	double share = total > 0 ? fmin((double)all / (double)total, 1) : 1;
	buf_printf(to, "%.20s%s", v->target ? v->target : "", v->target ? " " : "");
	if (v->terminal) {
		put_bar(to, share);
	}
	buf_printf(to, "%.0f %%, %" PRIu64 " of %" PRIu64 ", %.*f/s", floor(100 * share), all,
	        total, rate < 10 ? 1 : 0, rate);
	if (rate > 0 && total > all) {
		put_time(to, (double)(total - all) / rate);
	}
	put_errors(to, &f->failed);
	if (f->warm_up_failed.total) {
		buf_printf(to, ", %" PRIu64 " of the warm-up failed", f->warm_up_failed.total);
	}
	if (f->retries.total) {
		buf_printf(to, ", %" PRIu64 " sent again", f->retries.total);
	}
	if (f->cancelled) {
		buf_printf(to, ", %" PRIu64 " given up", f->cancelled);
	}
	buf_printf(to, ", %u in flight", f->in_flight);
	if (f->ttft_intended.n) {
		buf_printf(to, ", TTFT %.0f/%.0f ms", figures_quantile_ms(&f->ttft_intended, 0.5),
		        figures_quantile_ms(&f->ttft_intended, 0.99));
	}
	if (f->itl.n) {
		buf_printf(to, ", ITL %.1f/%.1f ms", figures_quantile_ms(&f->itl, 0.5),
		        figures_quantile_ms(&f->itl, 0.99));
	}
	if (f->compared) {
		buf_printf(to, ", %" PRIu64 " of %" PRIu64 " not as recorded", f->differing,
		        f->compared);
	}
}

/* Prints the progress; on a terminal at most one line. */
static void tell_line(const struct view *v, const struct figures *f, uint64_t left, double rate)
{
	struct buf line = {0};
	put_line(&line, v, f, left, rate);
	size_t len = v->terminal ? MIN(line.len, terminal_width(STDERR_FILENO) - 1) : line.len;
	fprintf(stderr, "%s%.*s%s", v->terminal ? "\r\033[K" : "", (int)len, buf_cstr(&line),
	        v->terminal ? "" : "\n");
	buf_finish(&line);
}

/* The rate over the last five to ten seconds; over the whole time while that is shorter. */
static double rate_of_late(struct view *v, const struct figures *f, uint64_t all, uint64_t now)
{
	struct view_mark *old = &v->marks[0], *young = &v->marks[1];
	bool other = v->total == 0 && v->of != f;
	if (other || all < young->over) { /* another pass, or another step */
		v->of = f;
		*old = *young = (struct view_mark){f->began ? f->began : now, 0};
	}
	if (now - young->at >= MARK_NS) {
		*old = *young;
		*young = (struct view_mark){now, all};
	}
	return now > old->at ? (double)(all - old->over) / ((double)(now - old->at) / 1e9) : 0;
}

void view_step(struct view *v, const struct step *s)
{
	struct buf b = {0};
	v->of = NULL;
	if (v->json) {
		buf_append_str(&b, "{\"event\":\"step\",\"step\":");
		step_json(s, &b);
		buf_append_str(&b, "}\n");
		fwrite(b.data, 1, b.len, stdout);
		fflush(stdout);
	} else {
		fprintf(stderr, "%.3g a second: %s (%.3g answered", s->rate,
		        step_verdict_name(s->verdict), s->answered);
		if (s->completed) {
			fprintf(stderr, ", E2E p99 %.0f ms", s->e2el_p99);
		}
		fputs(")\n", stderr);
	}
	buf_finish(&b);
}

void view_tick(void *arg, const struct figures *f, uint64_t left, bool last)
{
	struct view *v = arg;
	uint64_t now = clock_mono();
	uint64_t every = v->json ? SECOND_NS : v->terminal ? 0 : LINE_NS;
	double seconds = f->began && now > f->began ? (double)(now - f->began) / 1e9 : 0;
	if (last) {
		fputs(v->moved ? "\r\033[K" : "", stderr);
		v->moved = false;
		return;
	}
	if (now - v->shown < every) {
		return;
	}
	v->shown = now;
	double rate = seconds > 0 ? (double)over(f) / seconds : 0;
	double of_late = rate_of_late(v, f, v->done + over(f), now);
	if (v->json) {
		tell_json(f, left, seconds, rate, of_late);
		return;
	}
	tell_line(v, f, left, of_late);
	v->moved = v->terminal;
	fflush(stderr);
}
