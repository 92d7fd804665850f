/*
 * view - how a replay is doing, while it runs.
 */
#include <inttypes.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/json.h"
#include "replay/summary.h"

#define SECOND_NS UINT64_C(1000000000)
#define LINE_NS (10 * SECOND_NS)

void view_init(struct view *v, bool json)
{
	*v = (struct view){.json = json, .terminal = isatty(STDERR_FILENO), .shown = clock_mono()};
}

static void put(struct buf *to, const char *name, const char *value)
{
	buf_printf(to, ",\"%s\":", name);
	json_put_string(to, span_of(value));
}

void view_begin(struct view *v, const struct summary *r)
{
	char id[ID_TEXT_SIZE];
	if (!v->json) {
		fprintf(stderr,
		        "plumbline replay: %" PRIu64 " requests to %s (%s, %s%s%s), run %s%s\n",
		        r->sends - r->before, r->target->name, r->target->url,
		        r->target->dialect->title, r->version ? " " : "",
		        r->version ? r->version : "", id_format(r->run, id),
		        r->before ? ", gone on with" : "");
		return;
	}
	struct buf b = {0};
	buf_append_str(&b, "{\"event\":\"start\"");
	put(&b, "backend", r->target->name);
	put(&b, "url", r->target->url);
	put(&b, "run", id_format(r->run, id));
	buf_printf(&b,
	        ",\"requests\":%" PRIu64 ",\"before\":%" PRIu64 ",\"sent_again\":%" PRIu64 "}\n",
	        r->sends, r->before, r->again);
	fwrite(b.data, 1, b.len, stdout);
	fflush(stdout);
	buf_finish(&b);
}

static double ms(const struct histogram *h, double q)
{
	return (double)histogram_quantile(h, q) / 1000;
}

static void tell_json(const struct figures *f, uint64_t left, double seconds)
{
	printf("{\"event\":\"progress\",\"seconds\":%.3f,\"sent\":%" PRIu64
	       ",\"completed\":%" PRIu64 ",\"failed\":%" PRIu64
	       ",\"in_flight\":%u,\"left\":%" PRIu64 ",\"ttft_p50_ms\":%.3f,\"ttft_p99_ms\":%.3f,"
	       "\"itl_p50_ms\":%.3f,\"itl_p99_ms\":%.3f}\n",
	        seconds, f->sent, f->completed, f->failed.total, f->in_flight, left,
	        ms(&f->ttft_intended, 0.5), ms(&f->ttft_intended, 0.99), ms(&f->itl, 0.5),
	        ms(&f->itl, 0.99));
	fflush(stdout);
}

static void tell_line(const struct figures *f, uint64_t left, double seconds)
{
	uint64_t over = f->completed + f->failed.total + f->warm_up;
	fprintf(stderr, "%" PRIu64 " answered, %" PRIu64 " left, %u in flight, %.1f a second", over,
	        left, f->in_flight, seconds > 0 ? (double)over / seconds : 0);
	if (f->failed.total) {
		const struct reason *first = &f->failed.items[0];
		fprintf(stderr, ", %" PRIu64 " failed (%" PRIu64 " %.40s)", f->failed.total,
		        first->n, first->why);
	}
	if (f->ttft_intended.n) {
		fprintf(stderr, ", TTFT %.0f/%.0f ms", ms(&f->ttft_intended, 0.5),
		        ms(&f->ttft_intended, 0.99));
	}
	if (f->itl.n) {
		fprintf(stderr, ", ITL %.1f/%.1f ms", ms(&f->itl, 0.5), ms(&f->itl, 0.99));
	}
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
	if (v->json) {
		tell_json(f, left, seconds);
		return;
	}
	fputs(v->terminal ? "\r\033[K" : "", stderr);
	tell_line(f, left, seconds);
	fputs(v->terminal ? " " : "\n", stderr);
	v->moved = v->terminal;
	fflush(stderr);
}
