#include "analyzer/report/document_traffic.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "analyzer/report/document_values.h"
#include "base/mem.h"

#define LABEL 30
#define CELL 17
#define COLUMNS 4 /* backends that find room beside each other */

static double ms(double us)
{
	return us / 1000;
}

/* Milliseconds. */
static json_t *times(const struct histogram *h)
{
	static const struct {
		const char *name;
		double at;
	} STEPS[] = {{"p50", 0.5}, {"p90", 0.9}, {"p95", 0.95}, {"p99", 0.99}};
	json_t *o = json_object();
	json_object_set_new(o, "n", report_integer(h->n));
	json_object_set_new(o, "mean", report_number(h->n ? ms(histogram_mean(h)) : NAN));
	for (size_t i = 0; i < ARRAY_LEN(STEPS); i++) {
		double value = (double)histogram_quantile(h, STEPS[i].at);
		json_object_set_new(o, STEPS[i].name, report_number(h->n ? ms(value) : NAN));
	}
	json_object_set_new(o, "max", report_number(h->n ? ms((double)h->most) : NAN));
	return o;
}

static json_t *backend(const struct traffic_backend *b)
{
	json_t *o = json_object(), *latency = json_object();
	const struct {
		const char *name;
		const struct histogram *of;
	} all[] = {{"ttft", &b->ttft}, {"itl", &b->itl}, {"tpot", &b->tpot}, {"e2e", &b->e2e},
	        {"first_content", &b->first_content}, {"last_byte", &b->last_byte},
	        {"queued", &b->queued}};
	json_object_set_new(o, "backend", json_string(b->name));
	json_object_set_new(o, "role", json_string(role_name(b->role)));
	json_object_set_new(o, "answers", report_integer(b->answers));
	json_object_set_new(o, "complete", report_integer(b->complete));
	json_object_set_new(o, "cut", report_integer(b->cut));
	json_object_set_new(o, "failed", report_integer(b->failed.total));
	json_object_set_new(o, "failures", report_name_counts(&b->failed));
	json_object_set_new(o, "streams", report_integer(b->streams));
	json_object_set_new(o, "prompt_tokens", report_integer(b->prompt_tokens));
	json_object_set_new(o, "completion_tokens", report_integer(b->completion_tokens));
	json_object_set_new(o, "cached_tokens", report_integer(b->cached_tokens));
	json_object_set_new(o, "without_usage", report_integer(b->without_usage));
	json_object_set_new(o, "body_bytes", report_integer(b->body_bytes));
	json_object_set_new(o, "busy_seconds", json_real((double)b->busy_us / 1e6));
	json_object_set_new(o, "seconds", json_real(traffic_seconds(b)));
	json_object_set_new(o, "runs", report_integer(traffic_runs(b)));
	json_object_set_new(o, "beyond_passes", report_integer(b->beyond_passes));
	json_object_set_new(o, "answers_per_second", report_number(traffic_answers_per_second(b)));
	json_object_set_new(
	        o, "completion_tokens_per_second", report_number(traffic_tokens_per_second(b)));
	for (size_t i = 0; i < ARRAY_LEN(all); i++) {
		json_object_set_new(latency, all[i].name, times(all[i].of));
	}
	json_object_set_new(o, "milliseconds", latency);
	json_object_set_new(o, "tokens_timed", report_integer(b->timed));
	json_object_set_new(o, "is_sample", json_boolean(b->timed < b->complete));
	return o;
}

static json_t *part(const struct traffic_part *p)
{
	json_t *o = json_object(), *failed = json_object();
	struct interval i = stats_wilson(p->failed, p->answers);
	json_object_set_new(failed, "n", report_integer(p->answers));
	json_object_set_new(failed, "count", report_integer(p->failed));
	json_object_set_new(failed, "rate",
	        report_number(p->answers ? (double)p->failed / (double)p->answers : NAN));
	json_object_set_new(failed, "ci95", p->answers ? report_interval(i) : json_null());
	json_object_set_new(o, "failed", failed);
	json_object_set_new(o, "first_content", times(&p->first_content));
	json_object_set_new(o, "last_byte", times(&p->last_byte));
	return o;
}

json_t *report_traffic_json(const struct traffic *t)
{
	json_t *o = json_object(), *list = json_array();
	for (size_t i = 0; i < t->n_backends; i++) {
		json_array_append_new(list, backend(&t->backends[i]));
	}
	json_object_set_new(o, "backends", list);
	json_object_set_new(o, "beyond", report_integer(t->beyond));
	json_object_set_new(o, "injected", part(&t->parts[TRAFFIC_INJECTED]));
	json_object_set_new(o, "uninjected", part(&t->parts[TRAFFIC_UNINJECTED]));
	json_object_set_new(o, "mirrored", part(&t->parts[TRAFFIC_MIRRORED]));
	json_object_set_new(o, "unmirrored", part(&t->parts[TRAFFIC_UNMIRRORED]));
	return o;
}

/* The table. */

typedef char *(*cell_fn)(const struct traffic_backend *b); /* NULL: it has none */

static char *quantiles(const struct histogram *h)
{
	return h->n ? xasprintf("%.1f / %.1f", ms((double)histogram_quantile(h, 0.5)),
	                      ms((double)histogram_quantile(h, 0.99)))
	            : NULL;
}

static char *cell_answers(const struct traffic_backend *b)
{
	return xasprintf("%" PRIu64, b->answers);
}

static char *cell_failed(const struct traffic_backend *b)
{
	return b->failed.total ? xasprintf("%" PRIu64, (uint64_t)b->failed.total) : NULL;
}

static char *cell_ttft(const struct traffic_backend *b)
{
	return quantiles(&b->ttft);
}

static char *cell_itl(const struct traffic_backend *b)
{
	return quantiles(&b->itl);
}

static char *cell_tpot(const struct traffic_backend *b)
{
	return quantiles(&b->tpot);
}

static char *cell_e2e(const struct traffic_backend *b)
{
	return quantiles(&b->e2e);
}

static char *cell_queued(const struct traffic_backend *b)
{
	return b->role == ROLE_PRIMARY ? NULL : quantiles(&b->queued);
}

static char *cell_tokens(const struct traffic_backend *b)
{
	return b->complete > b->without_usage
	               ? xasprintf("%" PRIu64 " / %" PRIu64, b->prompt_tokens, b->completion_tokens)
	               : NULL;
}

static char *cell_rate(const struct traffic_backend *b)
{
	double rate = traffic_answers_per_second(b);
	return isnan(rate) ? NULL : xasprintf("%.1f / %.0f", rate, traffic_tokens_per_second(b));
}

static const struct {
	const char *label;
	cell_fn cell;
} ROWS[] = {
        {"answers", cell_answers},
        {"  that failed", cell_failed},
        {"TTFT, p50 / p99 ms", cell_ttft},
        {"ITL", cell_itl},
        {"TPOT", cell_tpot},
        {"E2E", cell_e2e},
        {"copies waited", cell_queued},
        {"tokens in / out", cell_tokens},
        {"answers / tokens a second", cell_rate},
};

static void print_row(const struct traffic *t, size_t row, size_t n, FILE *to)
{
	char *cells[COLUMNS];
	bool any = false;
	for (size_t i = 0; i < n; i++) {
		cells[i] = ROWS[row].cell(&t->backends[i]);
		any = any || cells[i];
	}
	if (any) {
		fprintf(to, "  %-*s", LABEL, ROWS[row].label);
	}
	for (size_t i = 0; i < n; i++) {
		const char *text = cells[i] ? cells[i] : "-";
		if (any) {
			/* Nothing is padded at the end of the line. */
			fprintf(to, " %-*s", i + 1 < n ? CELL - 1 : 0, text);
		}
		free(cells[i]);
	}
	if (any) {
		fputc('\n', to);
	}
}

static double median_ms(const struct histogram *h)
{
	return ms((double)histogram_quantile(h, 0.5));
}

static double failed_share(const struct traffic_part *p)
{
	return 100.0 * (double)p->failed / (double)p->answers;
}

#define PART_LEAST 20 /* answers; a median of fewer says nothing */

/* Two parts of the clients' answers; nothing unless both came. */
static void print_parts(const struct traffic_part *a, const struct traffic_part *b,
        const char *what, const char *else_what, FILE *to)
{
	if (a->last_byte.n >= PART_LEAST && b->last_byte.n >= PART_LEAST) {
		fprintf(to,
		        "  %s: p50 %.1f ms, %.1f %% of %" PRIu64 " failed; %s: %.1f ms, %.1f %% of "
		        "%" PRIu64 ".\n",
		        what, median_ms(&a->last_byte), failed_share(a), a->answers, else_what,
		        median_ms(&b->last_byte), failed_share(b), b->answers);
	}
}

static void print_cost(const struct traffic *t, FILE *to)
{
	uint64_t copies = 0, in = 0, out = 0, busy = 0;
	for (size_t i = 0; i < t->n_backends; i++) {
		const struct traffic_backend *b = &t->backends[i];
		if (b->role != ROLE_PRIMARY) {
			copies += b->answers;
			in += b->prompt_tokens;
			out += b->completion_tokens;
			busy += b->busy_us;
		}
	}
	if (copies > 0) {
		fprintf(to,
		        "  Other answers cost: %" PRIu64 " requests, %" PRIu64
		        " tokens in, %" PRIu64 " out, %.1f s of their engines' time.\n",
		        copies, in, out, (double)busy / 1e6);
	}
}

void report_traffic_text(const struct traffic *t, FILE *to)
{
	size_t n = MIN(t->n_backends, (size_t)COLUMNS);
	if (n == 0) {
		return;
	}
	fprintf(to, "%-*s  ", LABEL, "Traffic");
	for (size_t i = 0; i < n; i++) {
		fprintf(to, " %-*.*s", i + 1 < n ? CELL - 1 : 0, CELL - 1, t->backends[i].name);
	}
	fputc('\n', to);
	for (size_t row = 0; row < ARRAY_LEN(ROWS); row++) {
		print_row(t, row, n, to);
	}
	if (t->n_backends > n) {
		fprintf(to, "  and %zu more backends: --json\n", t->n_backends - n);
	}
	const struct traffic_part *p = t->parts;
	print_cost(t, to);
	print_parts(&p[TRAFFIC_INJECTED], &p[TRAFFIC_UNINJECTED], "Fields injected", "none", to);
	print_parts(&p[TRAFFIC_MIRRORED], &p[TRAFFIC_UNMIRRORED], "A copy sent", "none sent", to);
	fputc('\n', to);
}
