#include "proxy/metrics.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "proxy/exposition.h"
#include "proxy/config_snapshot.h"
#include "proxy/reload.h"
#include "proxy/shared.h"

static void histogram(struct buf *to, const char *name, const char *help, const struct buckets *b)
{
	exposition_describe(to, name, "histogram", help);
	exposition_histogram(to, name, NULL, NULL, b);
}

/* Families of the ledger's counts. */
static const struct family {
	const char *name, *label; /* label: for the book's name; NULL: none */
	bool exchanges, copies;
	const char *what; /* what it counts; its help begins with this */
} families[] = {
        {"exchanges", NULL, true, false, "Exchanges"},
        {"copies", "reference", false, true, "Copies of requests"},
        /* the former names, for one release */
        {"units", "book", true, true, "Former name: exchanges and copies"},
};

enum column { COMPLETED, RECORDED, PENDING, DROPPED, EXCLUDED };

static const struct {
	const char *name, *type, *help;
} columns[] = {
        [COMPLETED] = {"completed_total", "counter", "that ended."},
        [RECORDED] = {"recorded_total", "counter", "committed to the capture."},
        [PENDING] = {"pending", "gauge", "that wait to be committed."},
        [DROPPED] = {"dropped_total", "counter", "lost, by cause."},
        [EXCLUDED] = {"excluded_total", "counter", "not meant to be recorded, by reason."},
};

static void write_column(struct buf *to, const struct family *family, const char *name,
        const struct ledger_figures *f, enum column c)
{
	const char *label = family->label ? family->label : "";
	const char *book = family->label ? f->name : NULL;
	switch (c) {
	case COMPLETED:
		exposition_sample(to, name, f->completed, label, book, NULL);
		break;
	case RECORDED:
		exposition_sample(to, name, f->recorded, label, book, NULL);
		break;
	case PENDING:
		exposition_sample(to, name, f->pending, label, book, NULL);
		break;
	case DROPPED:
		for (int i = 0; i < N_DROPS; i++) {
			exposition_sample(to, name, f->dropped[i], label, book, "cause",
			        ledger_drop_name((enum ledger_drop)i), NULL);
		}
		break;
	case EXCLUDED:
		for (int i = 0; i < N_EXCLUSIONS; i++) {
			exposition_sample(to, name, f->excluded[i], label, book, "reason",
			        ledger_exclusion_name((enum ledger_exclusion)i), NULL);
		}
		break;
	}
}

static void write_family_column(struct buf *to, const struct family *family,
        const struct ledger_scrape *scrape, enum column c)
{
	char name[64], help[128];
	snprintf(name, sizeof(name), "%s_%s", family->name, columns[c].name);
	snprintf(help, sizeof(help), "%s %s", family->what, columns[c].help);
	exposition_describe(to, name, columns[c].type, help);
	for (size_t i = 0; i < scrape->n; i++) {
		/* the ledger's first book counts exchanges */
		if (i == 0 ? family->exchanges : family->copies) {
			write_column(to, family, name, &scrape->books[i], c);
		}
	}
}

/* One scrape for all, so that the sums agree. */
static void write_ledger(struct shared *s, struct buf *to)
{
	struct ledger_scrape scrape;
	ledger_scrape(s->ledger, &scrape);
	for (size_t i = 0; i < ARRAY_LEN(families); i++) {
		for (size_t c = 0; c < ARRAY_LEN(columns); c++) {
			write_family_column(to, &families[i], &scrape, (enum column)c);
		}
	}
}

/* Reads an atomic member of either size. */
static uint64_t load(const void *s, size_t at, size_t size)
{
	const char *member = (const char *)s + at;
	return size == sizeof(atomic_uint) ? atomic_load((const atomic_uint *)member)
	                                   : atomic_load((const atomic_uint_fast64_t *)member);
}

#define AT(T, member) offsetof(T, member), sizeof(((T *)0)->member)

static void write_references(const struct config_snapshot *c, struct buf *to)
{
	static const struct {
		const char *name, *help;
		size_t at, size;
	} gauges[] = {
	        {"copies_running",
	                "Copies that are in progress at the reference, and answers that it is "
	                "scoring.",
	                AT(struct backend_state, running)},
	        {"copies_waiting", "Copies that wait in the queue of the reference.",
	                AT(struct backend_state, waiting)},
	        {"scores_waiting", "Answers in the queue that the reference is to score.",
	                AT(struct backend_state, scores_waiting)},
	        {"copies_waiting_bytes", "Bytes of the copies and answers in the queue.",
	                AT(struct backend_state, waiting_bytes)},
	};
	for (size_t g = 0; c->n_references && g < ARRAY_LEN(gauges); g++) {
		exposition_describe(to, gauges[g].name, "gauge", gauges[g].help);
		for (size_t i = 0; i < c->n_references; i++) {
			const struct backend_state *r = c->references[i];
			exposition_sample(to, gauges[g].name, load(r, gauges[g].at, gauges[g].size),
			        "reference", r->settings->name, NULL);
		}
	}
}

static void write_engines(const struct config_snapshot *c, struct buf *to)
{
	const struct backend_state *b;
	struct engine_metrics m;
	exposition_describe(to, "backend_info", "gauge",
	        "Always 1; the dialect in use for the backend, that of the configuration (or "
	        "auto), and the engine's version.");
	for (size_t i = 0; (b = config_snapshot_backend(c, i)); i++) {
		engine_info_metrics(b->engine, &m);
		exposition_sample(to, "backend_info", 1, "backend", b->settings->name, "dialect",
		        m.dialect, "configured", m.configured ? m.configured : "auto", "version",
		        m.version ? m.version : "", NULL);
		free(m.version);
	}
	exposition_describe(to, "dialect_mismatch", "gauge",
	        "1 if the backend answers like another engine than the configuration says, "
	        "else 0.");
	for (size_t i = 0; (b = config_snapshot_backend(c, i)); i++) {
		engine_info_metrics(b->engine, &m);
		exposition_sample(
		        to, "dialect_mismatch", m.mismatch, "backend", b->settings->name, NULL);
		free(m.version);
	}
	exposition_describe(to, "manifests_total", "counter",
	        "Stacks of the backend that the proxy recorded: the first, and one for each "
	        "change.");
	for (size_t i = 0; (b = config_snapshot_backend(c, i)); i++) {
		engine_info_metrics(b->engine, &m);
		exposition_sample(
		        to, "manifests_total", m.manifests, "backend", b->settings->name, NULL);
		free(m.version);
	}
}

static void write_times(const struct config_snapshot *c, struct buf *to)
{
	static const struct {
		const char *name, *help;
		size_t at; /* of struct buckets in struct backend_state */
	} times[] = {
	        {"backend_ttft_seconds",
	                "Time from sending a request to the first bytes of the body of a streamed "
	                "answer.",
	                offsetof(struct backend_state, counts.first)},
	        {"backend_itl_seconds", "Time between two arrivals of bytes of a streamed answer.",
	                offsetof(struct backend_state, counts.gap)},
	        {"backend_e2e_seconds",
	                "Time from sending a request to the last byte of a complete answer (2xx).",
	                offsetof(struct backend_state, counts.whole)},
	};
	const struct backend_state *b;
	for (size_t t = 0; t < ARRAY_LEN(times); t++) {
		exposition_describe(to, times[t].name, "histogram", times[t].help);
		for (size_t i = 0; (b = config_snapshot_backend(c, i)); i++) {
			exposition_histogram(to, times[t].name, "backend", b->settings->name,
			        (const struct buckets *)((const char *)b + times[t].at));
		}
	}
}

static void write_unscorable(struct backend_state *p, struct buf *to)
{
	pthread_mutex_lock(&p->lock);
	for (size_t i = 0; i < p->unscorable.n; i++) {
		exposition_sample(to, "unscorable_total", p->unscorable.items[i].n, "backend",
		        p->settings->name, "reason", p->unscorable.items[i].why, NULL);
	}
	pthread_mutex_unlock(&p->lock);
}

/* Writes the metrics of references that score. */
static void write_scores(const struct config_snapshot *c, struct buf *to)
{
	static const struct {
		const char *name, *help;
		size_t at, size;
	} tokens[] = {
	        {"scored_tokens_total",
	                "Tokens of the primary's answers that the reference scored.",
	                AT(struct backend_state, tokens_scored)},
	        {"scoring_tokens_total",
	                "Tokens of prompts and answers that the reference read to score them, as "
	                "it reports.",
	                AT(struct backend_state, tokens_read)},
	};
	exposition_describe(to, "score_seconds", "histogram",
	        "Time that the reference took to score an answer.");
	for (size_t i = 0; i < c->n_references; i++) {
		const struct backend_state *r = c->references[i];
		if (atomic_load(&r->mode) != MIRROR_GENERATE) {
			exposition_histogram(
			        to, "score_seconds", "backend", r->settings->name, &r->score_time);
		}
	}
	for (size_t t = 0; t < ARRAY_LEN(tokens); t++) {
		exposition_describe(to, tokens[t].name, "counter", tokens[t].help);
		for (size_t i = 0; i < c->n_references; i++) {
			const struct backend_state *r = c->references[i];
			if (atomic_load(&r->mode) != MIRROR_GENERATE) {
				exposition_sample(to, tokens[t].name,
				        load(r, tokens[t].at, tokens[t].size), "backend",
				        r->settings->name, NULL);
			}
		}
	}
	for (size_t i = 0; i < c->n_references; i++) {
		const struct backend_state *r = c->references[i];
		if (r->settings->of_primary) {
			exposition_value(to, "self_scoring", "gauge",
			        "1 while the primary scores its own answers; 0 after the proxy "
			        "stopped that because it slowed the primary.",
			        !atomic_load(&r->self_stopped));
		}
	}
	exposition_describe(to, "unscorable_total", "counter",
	        "Answers that the reference could not score, by reason. The metrics of copies "
	        "count them as excluded.");
	for (size_t i = 0; i < c->n_references; i++) {
		write_unscorable(c->references[i], to);
	}
}

static void write_ends(const struct config_snapshot *c, struct buf *to)
{
	const struct backend_state *b;
	exposition_describe(
	        to, "legs_total", "counter", "Requests to backends that ended, by outcome.");
	for (size_t i = 0; (b = config_snapshot_backend(c, i)); i++) {
		for (int o = OUTCOME_COMPLETE; o < N_OUTCOMES; o++) {
			if (o == OUTCOME_BAD_REQUEST) {
				continue; /* nothing was sent */
			}
			exposition_sample(to, "legs_total",
			        atomic_load_explicit(&b->counts.ended[o], memory_order_relaxed),
			        "backend", b->settings->name, "role", role_name(b->settings->role),
			        "outcome", outcome_name((enum outcome)o), NULL);
		}
	}
}

static void redacted(struct buf *to, const char *kind, uint64_t v)
{
	exposition_sample(to, "redactions_total", v, "kind", kind, NULL);
}

static void write_redactions(struct buf *to, const struct recorder_figures *f)
{
	const struct redact_counts *c = &f->redacted;
	exposition_describe(to, "redactions_total", "counter",
	        "Private texts that were replaced before recording, by kind.");
	for (int i = 0; i < N_SECRETS; i++) {
		redacted(to, secret_name((enum secret)i), c->secrets[i]);
	}
	redacted(to, "pattern", c->patterns);
	redacted(to, "member", c->members);
	redacted(to, "alternative", c->alternatives);
	redacted(to, "token_ids", c->ids);
	exposition_describe(to, "redact_refused_total", "counter",
	        "Bodies that were not recorded because they could not be parsed, by cause.");
	exposition_sample(to, "redact_refused_total", c->refused, "cause", "form", NULL);
	exposition_sample(to, "redact_refused_total", c->no_room, "cause", "memory", NULL);
}

static const struct {
	const char *name, *type, *help;
	size_t at; /* of a number of 8 bytes in struct recorder_figures */
} recorder_values[] = {
#define VALUE(name, type, member, help)                                                            \
	{                                                                                          \
		name, type, help, offsetof(struct recorder_figures, member)                        \
	}
        VALUE("recorder_rows_total", "counter", rows, "Rows committed to the capture."),
        VALUE("recorder_parts_total", "counter", parts,
                "Parts of bodies committed to the capture."),
        VALUE("recorder_bytes_in_total", "counter", bytes_in, "Bytes given to the recorder."),
        VALUE("recorder_bytes_stored_total", "counter", bytes_stored,
                "Bytes stored, after compression."),
        VALUE("recorder_commits_total", "counter", commits,
                "Transactions committed to the capture."),
        VALUE("recorder_errors_total", "counter", errors,
                "Batches that could not be written, and times that the directory was missing."),
        VALUE("recorder_segments_total", "counter", segments, "Segments of the capture opened."),
        VALUE("recorder_unread_total", "counter", unread,
                "Answers stored without parsing them, because the recorder had no time."),
        VALUE("recorder_truncated_total", "counter", truncated,
                "Records that were stored without some parts of bodies, because memory was short."),
        VALUE("recorder_segments_deleted_total", "counter", deleted,
                "Segments deleted because of the limit of size or age."),
        VALUE("recorder_queued_items", "gauge", queued_items,
                "Rows and parts of bodies that wait to be written."),
        VALUE("recorder_queued_bytes", "gauge", queued_bytes, "Bytes that wait to be written."),
        VALUE("capture_bytes", "gauge", capture_bytes, "Size of the capture on disk."),
#undef VALUE
};

static void write_recorder(struct shared *s, struct buf *to)
{
	struct recorder_figures f;
	recorder_figures(s->recorder, &f);
	for (size_t i = 0; i < ARRAY_LEN(recorder_values); i++) {
		uint64_t v;
		memcpy(&v, (const char *)&f + recorder_values[i].at, sizeof(v));
		exposition_value(to, recorder_values[i].name, recorder_values[i].type,
		        recorder_values[i].help, v);
	}
	exposition_value(
	        to, "recorder_failing", "gauge", "1 if the last write failed, else 0.", f.failing);
	histogram(to, "recorder_commit_seconds", "Time that the commit of a batch took.", f.commit);
	write_redactions(to, &f);
}

static const struct {
	enum counter of;
	const char *name, *help;
} counters[] = {
        {COUNTER_CONNECTIONS, "connections_total", "Client connections accepted."},
        {COUNTER_EXCHANGES, "exchanges_begun_total", "Heads of requests accepted."},
        {COUNTER_REFUSED, "requests_refused_total",
                "Requests that the proxy itself answered with 4xx, 501 or 505."},
        {COUNTER_CLIENT_GONE, "clients_gone_total",
                "Clients that left before their answer was complete."},
        {COUNTER_CLIENT_TIMEOUTS, "client_timeouts_total",
                "Clients that sent or read nothing for too long."},
        {COUNTER_ACCEPT_PAUSES, "accept_pauses_total",
                "Times that new clients had to wait for a free connection or file descriptor."},
        {COUNTER_UPSTREAM_FAILED, "upstream_failures_total",
                "Requests to the primary that failed or whose answer broke off."},
        {COUNTER_STRAYS, "desynchronised_total",
                "Connections to engines that were closed because more than one answer arrived."},
        {COUNTER_TUNNELS, "tunnels_total",
                "Connections that became websockets, which are not recorded."},
        {COUNTER_INJECTED, "injected_total",
                "Requests to the primary to which the proxy added fields."},
        {COUNTER_INJECTION_REFUSED, "injection_refused_total",
                "Requests sent again without the added fields, because the engine refused "
                "them or compressed its answer."},
        {COUNTER_ASKED_AGAIN, "asked_again_total",
                "Requests that the proxy sent a second time, as the client wrote them, because "
                "the first answer had an unknown form, could not be cut, or never came."},
        {COUNTER_UNCUT, "uncut_total",
                "Answers that reached the client with the fields that the proxy had requested."},
        {COUNTER_TRUNCATED, "truncated_total",
                "Records of bodies that were cut, because memory_limit or the recorder's queue "
                "had no room."},
};

_Static_assert(ARRAY_LEN(counters) == N_COUNTERS, "every counter has a row");

static const struct {
	const char *name, *help;
	size_t at, size;
} gauges[] = {
        {"connections", "Client connections that are open.", AT(struct shared, clients)},
        {"connections_limit", "Most client connections at a time.",
                AT(struct shared, client_limit)},
        {"exchanges_in_flight", "Exchanges in progress.", AT(struct shared, in_flight)},
        {"tunnels", "Open websockets.", AT(struct shared, tunnels)},
};

static void write_traffic(struct shared *s, struct buf *to)
{
	for (size_t i = 0; i < ARRAY_LEN(counters); i++) {
		exposition_value(to, counters[i].name, "counter", counters[i].help,
		        atomic_load_explicit(&s->counters[counters[i].of], memory_order_relaxed));
	}
	for (size_t i = 0; i < ARRAY_LEN(gauges); i++) {
		exposition_value(to, gauges[i].name, "gauge", gauges[i].help,
		        load(s, gauges[i].at, gauges[i].size));
	}
	exposition_describe(to, "injection_ended_total", "counter",
	        "Kinds of requests to which the proxy no longer adds fields, by reason.");
	for (int i = 0; i < N_INJECTION_STOPS; i++) {
		exposition_sample(to, "injection_ended_total",
		        atomic_load_explicit(&s->injection_stops[i], memory_order_relaxed),
		        "reason", injection_stop_name((enum injection_stop)i), NULL);
	}
}

static void write_list_costs(struct shared *s, struct buf *to)
{
	static const char *const names[N_LISTS] = {"none", "ordinary", "audit"};
	static const struct {
		const char *name, *help;
		size_t at;
		double unit;
	} figures[] = {
	        {"list_answers_total",
	                "Complete answers of the primary to clients that requested no logprobs, by "
	                "the lists that the proxy requested.",
	                offsetof(struct list_cost, answers), 1},
	        {"list_seconds_total",
	                "Time that the answers of plumbline_list_answers_total took; of a stream, "
	                "from its first byte on.",
	                offsetof(struct list_cost, us), 1e-6},
	        {"list_bytes_total",
	                "Bytes that clients got of the answers of plumbline_list_answers_total.",
	                offsetof(struct list_cost, bytes), 1},
	};
	for (size_t i = 0; i < ARRAY_LEN(figures); i++) {
		exposition_describe(to, figures[i].name, "counter", figures[i].help);
		for (size_t l = 0; l < N_LISTS; l++) {
			const char *at = (const char *)&s->list_costs[l] + figures[i].at;
			buf_printf(to, "plumbline_%s{lists=\"%s\"} %.9g\n", figures[i].name,
			        names[l],
			        (double)*(const atomic_uint_fast64_t *)at * figures[i].unit);
		}
	}
}

static void write_answered(const struct shared *s, struct buf *to)
{
	exposition_describe(to, "requests_total", "counter",
	        "Completed requests, by endpoint and the status that the client got.");
	for (int e = 0; e < N_ENDPOINTS; e++) {
		for (int status = 0; status < SHARED_STATUSES; status++) {
			uint64_t n =
			        atomic_load_explicit(&s->answered[e][status], memory_order_relaxed);
			char text[16] = "none";
			if (status) {
				snprintf(text, sizeof(text), "%d", status);
			}
			if (n) {
				exposition_sample(to, "requests_total", n, "route",
				        endpoint_name((enum endpoint)e), "status", text, NULL);
			}
		}
	}
}

void metrics_write(struct shared *s, struct buf *to)
{
	exposition_describe(to, "build_info", "gauge", "Always 1; the version is its label.");
	exposition_sample(to, "build_info", 1, "version", PLUMBLINE_VERSION, NULL);
	write_ledger(s, to);
	struct config_snapshot *snapshot = shared_config(s);
	write_references(snapshot, to);
	write_engines(snapshot, to);
	write_times(snapshot, to);
	write_scores(snapshot, to);
	write_ends(snapshot, to);
	config_snapshot_unref(snapshot);
	reload_write(s->reload, to);
	write_answered(s, to);
	write_traffic(s, to);
	write_list_costs(s, to);
	histogram(to, "answer_head_seconds",
	        "Time from the head of a request to the head of its answer.", &s->head_time);
	histogram(to, "exchange_seconds",
	        "Time from the head of a request to the end of its exchange.", &s->total_time);
	histogram(to, "added_latency_seconds",
	        "Time that the proxy added: before it had sent the request, and after it had the "
	        "complete answer.",
	        &s->added_time);
	exposition_value(to, "memory_bytes", "gauge", "Bytes of memory in use for traffic.",
	        budget_used(&s->budget));
	exposition_value(to, "memory_limit_bytes", "gauge", "The limit of plumbline_memory_bytes.",
	        s->budget.limit);
	exposition_value(to, "start_time_seconds", "gauge",
	        "Time at which the process started, in seconds since 1970.",
	        s->started / 1000000000u);
	if (s->recorder) {
		write_recorder(s, to);
	}
}
