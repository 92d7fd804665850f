#include "analyzer/report/document_parts.h"

#include <math.h>

#include "analyzer/report/document_values.h"

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
	return json_pack("{s:o, s:o, s:o}", "failed",
	        report_rate(p->failed, p->answers, stats_wilson(p->failed, p->answers)),
	        "first_content", times(&p->first_content), "last_byte", times(&p->last_byte));
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
