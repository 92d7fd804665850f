#include "analyzer/report/document/document_parts.h"

#include <math.h>

#include "analyzer/report/document/document_values.h"
#include "analyzer/stats/proportion.h"

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
	node_set_count(o, "n", h->n);
	node_set_number(o, "mean", h->n ? ms(histogram_mean(h)) : NAN);
	for (size_t i = 0; i < ARRAY_LEN(STEPS); i++) {
		double value = (double)histogram_quantile(h, STEPS[i].at);
		node_set_number(o, STEPS[i].name, h->n ? ms(value) : NAN);
	}
	node_set_number(o, "max", h->n ? ms((double)h->most) : NAN);
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
	node_set_text(o, "backend", b->name);
	node_set_text(o, "role", role_name(b->role));
	node_set_count(o, "answers", b->answers);
	node_set_count(o, "complete", b->complete);
	node_set_count(o, "cut", b->cut);
	node_set_count(o, "failed", b->failed.total);
	json_object_set_new(o, "failures", document_name_counts(&b->failed));
	node_set_count(o, "streams", b->streams);
	node_set_count(o, "prompt_tokens", b->prompt_tokens);
	node_set_count(o, "completion_tokens", b->completion_tokens);
	node_set_count(o, "cached_tokens", b->cached_tokens);
	node_set_count(o, "without_usage", b->without_usage);
	node_set_count(o, "body_bytes", b->body_bytes);
	node_set_number(o, "busy_seconds", (double)b->busy_us / 1e6);
	node_set_number(o, "seconds", traffic_seconds(b));
	node_set_count(o, "runs", traffic_runs(b));
	node_set_count(o, "beyond_passes", b->beyond_passes);
	node_set_number(o, "answers_per_second", traffic_answers_per_second(b));
	node_set_number(o, "completion_tokens_per_second", traffic_tokens_per_second(b));
	for (size_t i = 0; i < ARRAY_LEN(all); i++) {
		json_object_set_new(latency, all[i].name, times(all[i].of));
	}
	json_object_set_new(o, "milliseconds", latency);
	node_set_count(o, "tokens_timed", b->timed);
	node_set_flag(o, "is_sample", b->timed < b->complete);
	return o;
}

static json_t *part(const struct traffic_part *p)
{
	return json_pack("{s:o, s:o, s:o}", "failed",
	        document_rate(p->failed, p->answers, proportion_rate(p->failed, p->answers)),
	        "first_content", times(&p->first_content), "last_byte", times(&p->last_byte));
}

static json_t *ratio(const struct traffic *t, enum leg_lists against)
{
	struct traffic_ratio r = traffic_list_ratio(t, LEG_LISTS_AUDIT, against);
	json_t *o = json_object();
	node_set_number(o, "value", r.ratio);
	json_object_set_new(o, "ci95", document_interval(r.ci));
	return o;
}

/* What a token costs the engine, by the lists that the proxy asked for. */
static json_t *lists(const struct traffic *t)
{
	json_t *o = json_object();
	for (size_t l = LEG_LISTS_NONE; l < N_LEG_LISTS; l++) {
		const struct moments *m = &t->paces[l];
		json_t *of = json_object();
		node_set_count(of, "n", m->n);
		node_set_number(of, "milliseconds_per_token", ms(exp(moments_mean(m))));
		json_object_set_new(o, leg_lists_name((enum leg_lists)l), of);
	}
	json_object_set_new(o, "audit_to_ordinary", ratio(t, LEG_LISTS_ORDINARY));
	json_object_set_new(o, "audit_to_none", ratio(t, LEG_LISTS_NONE));
	return o;
}

json_t *document_traffic(const struct traffic *t)
{
	json_t *o = json_object(), *list = json_array();
	for (size_t i = 0; i < t->n_backends; i++) {
		json_array_append_new(list, backend(&t->backends[i]));
	}
	json_object_set_new(o, "backends", list);
	node_set_count(o, "beyond", t->beyond);
	json_object_set_new(o, "injected", part(&t->parts[TRAFFIC_INJECTED]));
	json_object_set_new(o, "uninjected", part(&t->parts[TRAFFIC_UNINJECTED]));
	json_object_set_new(o, "mirrored", part(&t->parts[TRAFFIC_MIRRORED]));
	json_object_set_new(o, "unmirrored", part(&t->parts[TRAFFIC_UNMIRRORED]));
	json_object_set_new(o, "lists", lists(t));
	return o;
}
