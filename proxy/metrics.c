#include "proxy/metrics.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "proxy/exposition.h"
#include "proxy/config_snapshot.h"
#include "proxy/reload.h"
#include "proxy/shared.h"

static void histogram(struct buf *to, const char *name, const char *help, const struct buckets *b)
{
	exposition_describe(to, name, "histogram", help);
	exposition_histogram(to, name, NULL, NULL, b);
}

static void write_unit(struct buf *to, const char *what, const char *book, const char *key,
        const char *word, uint64_t v)
{
	buf_printf(to, "plumbline_units_%s{book=\"", what);
	exposition_label(to, book);
	if (key) {
		buf_printf(to, "\",%s=\"%s", key, word);
	}
	buf_printf(to, "\"} %" PRIu64 "\n", v);
}

enum column { COMPLETED, RECORDED, PENDING, DROPPED, EXCLUDED };

static const struct {
	const char *name, *type, *help;
} columns[] = {
        [COMPLETED] = {"completed_total", "counter",
                "Exchanges, or copies, that came to their end."},
        [RECORDED] = {"recorded_total", "counter", "Of them, committed to the capture."},
        [PENDING] = {"pending", "gauge", "Of them, waiting to be committed."},
        [DROPPED] = {"dropped_total", "counter", "Of them, lost, by cause."},
        [EXCLUDED] = {"excluded_total", "counter", "Of them, not meant to be recorded, by reason."},
};

static void write_column(struct buf *to, const struct ledger_figures *f, enum column c)
{
	const char *what = columns[c].name;
	switch (c) {
	case COMPLETED:
		write_unit(to, what, f->name, NULL, NULL, f->completed);
		break;
	case RECORDED:
		write_unit(to, what, f->name, NULL, NULL, f->recorded);
		break;
	case PENDING:
		write_unit(to, what, f->name, NULL, NULL, f->pending);
		break;
	case DROPPED:
		for (int i = 0; i < N_DROPS; i++) {
			write_unit(to, what, f->name, "cause",
			        ledger_drop_name((enum ledger_drop)i), f->dropped[i]);
		}
		break;
	case EXCLUDED:
		for (int i = 0; i < N_EXCLUSIONS; i++) {
			write_unit(to, what, f->name, "reason",
			        ledger_exclusion_name((enum ledger_exclusion)i), f->excluded[i]);
		}
		break;
	}
}

/* One scrape for all, so that the sums agree. */
static void write_ledger(struct shared *s, struct buf *to)
{
	struct ledger_scrape scrape;
	ledger_scrape(s->ledger, &scrape);
	for (size_t c = 0; c < ARRAY_LEN(columns); c++) {
		char name[64];
		snprintf(name, sizeof(name), "units_%s", columns[c].name);
		exposition_describe(to, name, columns[c].type, columns[c].help);
		for (size_t i = 0; i < scrape.n; i++) {
			write_column(to, &scrape.books[i], (enum column)c);
		}
	}
}

static void write_references(const struct config_snapshot *l, struct buf *to)
{
	static const struct {
		const char *name, *help;
	} gauges[] = {
	        {"copies_running", "Copies and scores that hold a place with the reference."},
	        {"copies_waiting", "Copies in the queue."},
	        {"scores_waiting", "Answers in the queue that are to be scored."},
	        {"copies_waiting_bytes", "Weight of both."},
	};
	for (size_t g = 0; l->n_references && g < ARRAY_LEN(gauges); g++) {
		exposition_describe(to, gauges[g].name, "gauge", gauges[g].help);
		for (size_t i = 0; i < l->n_references; i++) {
			struct backend_state *r = l->references[i];
			size_t v = g == 0   ? atomic_load(&r->running)
			           : g == 1 ? atomic_load(&r->waiting)
			           : g == 2 ? atomic_load(&r->scores_waiting)
			                    : atomic_load(&r->waiting_bytes);
			buf_printf(to, "plumbline_%s{reference=\"", gauges[g].name);
			exposition_label(to, r->settings->name);
			buf_printf(to, "\"} %zu\n", v);
		}
	}
}

static void write_engine(struct buf *to, const char *name, struct engine_info *engine)
{
	struct engine_metrics f;
	engine_info_metrics(engine, &f);
	buf_append_str(to, "plumbline_backend_info{backend=\"");
	exposition_label(to, name);
	buf_printf(to, "\",dialect=\"%s\",configured=\"%s\",version=\"", f.dialect,
	        f.configured ? f.configured : "auto");
	exposition_label(to, f.version ? f.version : "");
	buf_append_str(to, "\"} 1\n");
	free(f.version);
}

static void write_engine_count(struct buf *to, const char *what, const char *name, uint64_t v)
{
	buf_printf(to, "plumbline_%s{backend=\"", what);
	exposition_label(to, name);
	buf_printf(to, "\"} %" PRIu64 "\n", v);
}

typedef uint64_t (*engine_count_fn)(const struct engine_metrics *f);

static uint64_t mismatch_of(const struct engine_metrics *f)
{
	return f->mismatch;
}

static uint64_t manifests_of(const struct engine_metrics *f)
{
	return f->manifests;
}

static void write_engine_counts(
        const struct config_snapshot *l, struct buf *to, const char *what, engine_count_fn count)
{
	for (size_t i = 0; i <= l->n_references; i++) {
		const struct backend_state *p = i ? l->references[i - 1] : l->primary;
		struct engine_metrics f;
		engine_info_metrics(p->engine, &f);
		write_engine_count(to, what, p->settings->name, count(&f));
		free(f.version);
	}
}

static void write_engines(const struct config_snapshot *l, struct buf *to)
{
	exposition_describe(to, "backend_info", "gauge",
	        "Always 1; which engine a backend is taken for, and what the configuration says.");
	write_engine(to, l->primary->settings->name, l->primary->engine);
	for (size_t i = 0; i < l->n_references; i++) {
		write_engine(to, l->references[i]->settings->name, l->references[i]->engine);
	}
	exposition_describe(to, "dialect_mismatch", "gauge",
	        "1 if a backend answers like another engine than the configuration says.");
	write_engine_counts(l, to, "dialect_mismatch", mismatch_of);
	exposition_describe(to, "manifests_total", "counter",
	        "Stacks that were seen of a backend: the first, and one for each change.");
	write_engine_counts(l, to, "manifests_total", manifests_of);
}

static const struct buckets *first_of(const struct backend_state *p)
{
	return &p->counts.first;
}

static const struct buckets *gap_of(const struct backend_state *p)
{
	return &p->counts.gap;
}

static const struct buckets *whole_of(const struct backend_state *p)
{
	return &p->counts.whole;
}

static void write_times(const struct config_snapshot *l, struct buf *to)
{
	static const struct {
		const char *name, *help;
		const struct buckets *(*of)(const struct backend_state *p);
	} times[] = {
	        {"backend_ttft_seconds",
	                "From sending to the first bytes of the body, of streamed answers.",
	                first_of},
	        {"backend_itl_seconds", "Between two arrivals of bytes, of streamed answers.",
	                gap_of},
	        {"backend_e2e_seconds", "From sending to the last byte, of whole answers (2xx).",
	                whole_of},
	};
	for (size_t t = 0; t < ARRAY_LEN(times); t++) {
		exposition_describe(to, times[t].name, "histogram", times[t].help);
		for (size_t i = 0; i <= l->n_references; i++) {
			const struct backend_state *p = i ? l->references[i - 1] : l->primary;
			exposition_histogram(
			        to, times[t].name, "backend", p->settings->name, times[t].of(p));
		}
	}
}

static void write_unscorable(struct backend_state *p, struct buf *to)
{
	pthread_mutex_lock(&p->lock);
	for (size_t i = 0; i < p->unscorable.n; i++) {
		buf_append_str(to, "plumbline_unscorable_total{backend=\"");
		exposition_label(to, p->settings->name);
		buf_append_str(to, "\",reason=\"");
		exposition_label(to, p->unscorable.items[i].why);
		buf_printf(to, "\"} %" PRIu64 "\n", p->unscorable.items[i].n);
	}
	pthread_mutex_unlock(&p->lock);
}

/* Of references that score. */
static void write_scores(const struct config_snapshot *l, struct buf *to)
{
	exposition_describe(to, "score_seconds", "histogram",
	        "Time that the reference took to score one answer.");
	for (size_t i = 0; i < l->n_references; i++) {
		struct backend_state *p = l->references[i];
		if (p->settings->mode != MIRROR_GENERATE) {
			exposition_histogram(
			        to, "score_seconds", "backend", p->settings->name, &p->score_time);
		}
	}
	exposition_describe(to, "scored_tokens_total", "counter",
	        "Tokens of the primary's answers that the reference scored.");
	for (size_t i = 0; i < l->n_references; i++) {
		struct backend_state *p = l->references[i];
		if (p->settings->mode != MIRROR_GENERATE) {
			buf_append_str(to, "plumbline_scored_tokens_total{backend=\"");
			exposition_label(to, p->settings->name);
			buf_printf(to, "\"} %" PRIu64 "\n", atomic_load(&p->tokens_scored));
		}
	}
	exposition_describe(to, "unscorable_total", "counter",
	        "Answers that the reference could not score, by reason. The books count them as "
	        "excluded.");
	for (size_t i = 0; i < l->n_references; i++) {
		write_unscorable(l->references[i], to);
	}
}

static void write_ends(const struct config_snapshot *l, struct buf *to)
{
	exposition_describe(to, "legs_total", "counter",
	        "Requests sent to backends that came to their end, by how they ended.");
	for (size_t i = 0; i <= l->n_references; i++) {
		struct backend_state *p = i ? l->references[i - 1] : l->primary;
		for (int o = OUTCOME_COMPLETE; o < N_OUTCOMES; o++) {
			if (o == OUTCOME_BAD_REQUEST) {
				continue; /* nothing was sent */
			}
			buf_append_str(to, "plumbline_legs_total{backend=\"");
			exposition_label(to, p->settings->name);
			buf_printf(to, "\",role=\"%s\",outcome=\"%s\"} %" PRIu64 "\n",
			        role_name(p->settings->role), outcome_name((enum outcome)o),
			        atomic_load_explicit(&p->counts.ended[o], memory_order_relaxed));
		}
	}
}

static void redacted(struct buf *to, const char *kind, uint64_t v)
{
	buf_printf(to, "plumbline_redactions_total{kind=\"%s\"} %" PRIu64 "\n", kind, v);
}

static void refused(struct buf *to, const char *cause, uint64_t v)
{
	buf_printf(to, "plumbline_redact_refused_total{cause=\"%s\"} %" PRIu64 "\n", cause, v);
}

static void write_redactions(struct buf *to, const struct recorder_figures *f)
{
	const struct redact_counts *c = &f->redacted;
	exposition_describe(to, "redactions_total", "counter",
	        "What was replaced before it was recorded, by kind.");
	for (int i = 0; i < N_SECRETS; i++) {
		redacted(to, secret_name((enum secret)i), c->secrets[i]);
	}
	redacted(to, "pattern", c->patterns);
	redacted(to, "member", c->members);
	redacted(to, "alternative", c->alternatives);
	redacted(to, "token_ids", c->ids);
	exposition_describe(to, "redact_refused_total", "counter",
	        "Bodies that were not recorded because they could not be looked into, by cause.");
	refused(to, "form", c->refused);
	refused(to, "memory", c->no_room);
}

static void write_recorder(struct shared *s, struct buf *to)
{
	struct recorder_figures f;
	recorder_figures(s->recorder, &f);
	exposition_value(to, "recorder_rows_total", "counter", "Rows committed.", f.rows);
	exposition_value(to, "recorder_parts_total", "counter", "Parts committed.", f.parts);
	exposition_value(to, "recorder_bytes_in_total", "counter", "Bytes handed to the recorder.",
	        f.bytes_in);
	exposition_value(
	        to, "recorder_bytes_stored_total", "counter", "Bytes stored.", f.bytes_stored);
	exposition_value(
	        to, "recorder_commits_total", "counter", "Transactions committed.", f.commits);
	histogram(to, "recorder_commit_seconds", "How long the commit of a batch took.", f.commit);
	exposition_value(to, "recorder_errors_total", "counter",
	        "Batches lost to the disk, and times that the directory was found gone.", f.errors);
	exposition_value(to, "recorder_segments_total", "counter", "Segments opened.", f.segments);
	exposition_value(to, "recorder_unread_total", "counter",
	        "Legs stored unread under pressure.", f.unread);
	exposition_value(to, "recorder_truncated_total", "counter",
	        "Parts refused for want of room.", f.truncated);
	exposition_value(to, "recorder_segments_deleted_total", "counter",
	        "Segments deleted to make room or because they were old enough.", f.deleted);
	exposition_value(to, "recorder_queued_items", "gauge",
	        "Rows and parts that wait to be written.", f.queued_items);
	exposition_value(to, "recorder_queued_bytes", "gauge", "Bytes that wait for the disk.",
	        f.queued_bytes);
	exposition_value(
	        to, "capture_bytes", "gauge", "Size of the capture on disk.", f.capture_bytes);
	exposition_value(to, "recorder_failing", "gauge", "1 if the last write failed.", f.failing);
	write_redactions(to, &f);
}

static uint64_t counter(struct shared *s, enum counter f)
{
	return atomic_load_explicit(&s->counters[f], memory_order_relaxed);
}

static void write_clients(struct shared *s, struct buf *to)
{
	exposition_value(to, "connections_total", "counter", "Client connections accepted.",
	        counter(s, COUNTER_CONNECTIONS));
	exposition_value(
	        to, "connections", "gauge", "Client connections now.", atomic_load(&s->clients));
	exposition_value(to, "exchanges_begun_total", "counter", "Request heads accepted.",
	        counter(s, COUNTER_EXCHANGES));
	exposition_value(to, "exchanges_in_flight", "gauge", "Exchanges under way.",
	        atomic_load(&s->in_flight));
	exposition_value(to, "tunnels_total", "counter",
	        "Connections that became websockets, which are not recorded.",
	        counter(s, COUNTER_TUNNELS));
	exposition_value(to, "tunnels", "gauge", "Of them, open now.", atomic_load(&s->tunnels));
	exposition_value(to, "requests_refused_total", "counter",
	        "Requests answered 4xx or 501 by the proxy.", counter(s, COUNTER_REFUSED));
	exposition_value(to, "requests_shed_total", "counter",
	        "Requests answered 503 by the proxy because there was no memory for them.",
	        counter(s, COUNTER_SHED));
	exposition_value(to, "clients_gone_total", "counter",
	        "Clients that left before their answer was whole.",
	        counter(s, COUNTER_CLIENT_GONE));
	exposition_value(to, "client_timeouts_total", "counter",
	        "Clients that sent, or took, nothing for too long.",
	        counter(s, COUNTER_CLIENT_TIMEOUTS));
	exposition_value(to, "connections_limit", "gauge", "Client connections there may be.",
	        atomic_load(&s->client_limit));
	exposition_value(to, "accept_pauses_total", "counter",
	        "Times that new clients had to wait for a place or a descriptor.",
	        counter(s, COUNTER_ACCEPT_PAUSES));
}

static void write_ended(struct shared *s, struct buf *to)
{
	exposition_describe(to, "injection_ended_total", "counter",
	        "Kinds of answers to which nothing is added any more.");
	for (int i = 0; i < N_INJECTION_STOPS; i++) {
		buf_printf(to, "plumbline_injection_ended_total{reason=\"%s\"} %" PRIu64 "\n",
		        injection_stop_name((enum injection_stop)i),
		        atomic_load_explicit(&s->injection_stops[i], memory_order_relaxed));
	}
}

static void write_answers(struct shared *s, struct buf *to)
{
	exposition_value(to, "upstream_failures_total", "counter",
	        "Answers of the primary that failed or broke off.",
	        counter(s, COUNTER_UPSTREAM_FAILED));
	exposition_value(to, "desynchronised_total", "counter",
	        "Connections of engines closed because more came than an answer.",
	        counter(s, COUNTER_STRAYS));
	exposition_value(to, "injected_total", "counter",
	        "Requests to the primary with added fields.", counter(s, COUNTER_INJECTED));
	exposition_value(to, "injection_refused_total", "counter",
	        "Second tries without the added fields.", counter(s, COUNTER_INJECTION_REFUSED));
	exposition_value(to, "asked_again_total", "counter",
	        "Requests sent once more because the injected answer had an unknown form.",
	        counter(s, COUNTER_ASKED_AGAIN));
	exposition_value(to, "uncut_total", "counter",
	        "Answers whose added fields reached the client.", counter(s, COUNTER_UNCUT));
	write_ended(s, to);
	exposition_value(to, "truncated_total", "counter", "Records cut because memory was spent.",
	        counter(s, COUNTER_TRUNCATED));
}

void metrics_write(struct shared *s, struct buf *to)
{
	exposition_describe(to, "build_info", "gauge", "Always 1; the version is its label.");
	buf_append_str(to, "plumbline_build_info{version=\"" PLUMBLINE_VERSION "\"} 1\n");
	write_ledger(s, to);
	struct config_snapshot *l = shared_config(s);
	write_references(l, to);
	write_engines(l, to);
	write_times(l, to);
	write_scores(l, to);
	write_ends(l, to);
	config_snapshot_unref(l);
	reload_write(s->reload, to);
	routes_write(&s->routes, to);
	write_clients(s, to);
	write_answers(s, to);
	histogram(to, "answer_head_seconds", "From a request's head to its answer's head.",
	        &s->head_time);
	histogram(to, "exchange_seconds", "From a request's head to the end of its exchange.",
	        &s->total_time);
	histogram(to, "added_latency_seconds",
	        "What the proxy added: before the whole request was sent, and after the whole "
	        "answer "
	        "had come.",
	        &s->added_time);
	exposition_value(
	        to, "memory_bytes", "gauge", "Bytes held for traffic.", budget_used(&s->budget));
	exposition_value(
	        to, "memory_limit_bytes", "gauge", "Limit of memory_bytes.", s->budget.limit);
	exposition_value(to, "start_time_seconds", "gauge", "When the process started, since 1970.",
	        s->started / 1000000000u);
	if (s->recorder) {
		write_recorder(s, to);
	}
}
