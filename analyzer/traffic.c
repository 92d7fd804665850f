#include "analyzer/traffic.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <xxhash.h>

#include "analyzer/names.h"
#include "base/mem.h"

/* What is kept of a leg until its block is merged. */
struct traffic_note {
	char *backend;
	struct id exchange, leg, run;
	enum role role;
	enum outcome outcome;
	int status;
	uint64_t start_ns, queued_us, first_content_us, end_us, body_bytes;
	struct usage usage;
	bool stream;
	bool is_client; /* the primary's answer to a chat or completion */
	bool injected, mirrored;
};

static bool has_copy(const struct capture_exchange *e, const struct leg_row *of)
{
	for (size_t i = 0; i < e->n_legs; i++) {
		const struct leg_row *leg = &e->legs[i].row;
		if (leg->role != ROLE_PRIMARY && !(leg->marks & LEG_SCORED) &&
		        id_compare(leg->run, of->run) == 0) {
			return true;
		}
	}
	return false;
}

static struct traffic_note note_of(const struct capture_exchange *e, const struct leg_row *leg)
{
	bool primary = leg->role == ROLE_PRIMARY;
	return (struct traffic_note){
	        .backend = xstrdup(names_of_backend(leg)),
	        .exchange = e->row.id,
	        .leg = leg->id,
	        .run = leg->run,
	        .role = leg->role,
	        .outcome = leg->outcome,
	        .status = leg->status,
	        .start_ns = leg->start_ns,
	        .queued_us = leg->queued_us,
	        .first_content_us = leg->first_content_us,
	        .end_us = leg->end_us,
	        .body_bytes = leg->body_bytes,
	        .usage = leg->usage,
	        .stream = framing_of_type(span_of(leg->content_type)) == FRAMING_SSE,
	        .is_client = primary && !e->absent && endpoint_is_openai(e->row.endpoint),
	        .injected = leg->marks & (LEG_INJECTED_LOGPROBS | LEG_INJECTED_USAGE),
	        .mirrored = primary && has_copy(e, leg),
	};
}

void traffic_note(struct traffic *t, const struct capture_exchange *e)
{
	for (size_t i = 0; i < e->n_legs; i++) {
		if (e->legs[i].row.marks & LEG_SCORED) {
			continue;
		}
		if (t->n_notes == t->notes_room) {
			t->notes_room = t->notes_room ? 2 * t->notes_room : 64;
			t->notes = xrealloc(t->notes, t->notes_room * sizeof(*t->notes));
		}
		t->notes[t->n_notes++] = note_of(e, &e->legs[i].row);
	}
}

static struct traffic_backend *backend_of(struct traffic *t, const struct traffic_note *n)
{
	for (size_t i = 0; i < t->n_backends; i++) {
		if (strcmp(t->backends[i].name, n->backend) == 0) {
			return &t->backends[i];
		}
	}
	if (t->n_backends == TRAFFIC_BACKENDS) {
		return NULL;
	}
	struct traffic_backend *b = &t->backends[t->n_backends++];
	*b = (struct traffic_backend){.name = xstrdup(n->backend), .role = n->role};
	return b;
}

static void span_run(struct traffic_backend *b, const struct traffic_note *n)
{
	uint64_t took = n->end_us == UINT64_MAX ? 0 : n->end_us * 1000;
	uint64_t end = n->start_ns > UINT64_MAX - took ? n->start_ns : n->start_ns + took;
	struct traffic_run *r = NULL;
	for (size_t i = 0; i < b->n_runs && !r; i++) {
		bool last = i + 1 == TRAFFIC_RUNS;
		r = last || id_compare(b->runs[i].run, n->run) == 0 ? &b->runs[i] : NULL;
	}
	if (!r) {
		r = &b->runs[b->n_runs++];
		*r = (struct traffic_run){n->run, n->start_ns, end};
	}
	r->first_ns = MIN(r->first_ns, n->start_ns);
	r->last_ns = MAX(r->last_ns, end);
}

double traffic_seconds(const struct traffic_backend *b)
{
	double seconds = 0;
	for (size_t i = 0; i < b->n_runs; i++) {
		seconds += (double)(b->runs[i].last_ns - b->runs[i].first_ns) / 1e9;
	}
	return seconds;
}

#define KIND_SIZE 32

/* NULL: it did not fail. */
static const char *failure_of(const struct traffic_note *n, char text[KIND_SIZE])
{
	if (n->status >= 400) {
		snprintf(text, KIND_SIZE, "HTTP %d", n->status);
		return text;
	}
	bool known = n->outcome >= OUTCOME_COMPLETE && n->outcome < N_OUTCOMES;
	return n->outcome == OUTCOME_COMPLETE ? NULL : known ? outcome_name(n->outcome) : "unknown";
}

static bool is_cut(const struct traffic_note *n)
{
	return n->outcome == OUTCOME_CLIENT_GONE || n->outcome == OUTCOME_STOPPED;
}

static void add_time(struct histogram *h, uint64_t us)
{
	if (us != UINT64_MAX) {
		histogram_add(h, us);
	}
}

static int by_hash(const void *a, const void *b)
{
	const struct traffic_pick *x = a, *y = b;
	return x->hash < y->hash ? -1 : x->hash > y->hash;
}

/* Those with the smallest hashes stay: a sample that depends on no order. */
void traffic_thin(struct traffic_backend *b)
{
	if (b->n_picks > TRAFFIC_SAMPLE) {
		qsort(b->picks, b->n_picks, sizeof(*b->picks), by_hash);
		b->n_picks = TRAFFIC_SAMPLE;
		b->is_sample = true;
	}
}

static void pick(struct traffic_backend *b, const struct traffic_note *n)
{
	size_t room = 2 * TRAFFIC_SAMPLE;
	if (!b->picks) {
		b->picks = xcalloc(room, sizeof(*b->picks));
	}
	if (b->n_picks == room) {
		traffic_thin(b);
	}
	uint64_t hash = XXH3_64bits(n->leg.bytes, sizeof(n->leg.bytes));
	b->picks[b->n_picks++] =
	        (struct traffic_pick){hash, n->end_us, n->exchange, n->leg, n->stream};
}

static void add_complete(struct traffic_backend *b, const struct traffic_note *n)
{
	const struct usage *u = &n->usage;
	b->complete++;
	b->streams += n->stream;
	if (u->completion_tokens >= 0) {
		b->completion_tokens += (uint64_t)u->completion_tokens;
		b->prompt_tokens += (uint64_t)MAX(u->prompt_tokens, (int64_t)0);
		b->cached_tokens += (uint64_t)MAX(u->cached_tokens, (int64_t)0);
	} else {
		b->without_usage++;
	}
	add_time(&b->queued, n->queued_us);
	add_time(&b->first_content, n->first_content_us);
	add_time(&b->last_byte, n->end_us);
	pick(b, n);
}

static void add_part(struct traffic_part *p, const struct traffic_note *n, bool failed)
{
	p->answers++;
	p->failed += failed;
	if (!failed) {
		add_time(&p->first_content, n->first_content_us);
		add_time(&p->last_byte, n->end_us);
	}
}

static void take(struct traffic *t, const struct traffic_note *n)
{
	char text[KIND_SIZE];
	const char *failure = failure_of(n, text);
	struct traffic_backend *b = backend_of(t, n);
	if (!b) {
		t->beyond++;
		return;
	}
	b->answers++;
	b->body_bytes += n->body_bytes;
	b->busy_us += n->end_us == UINT64_MAX ? 0 : n->end_us;
	span_run(b, n);
	if (is_cut(n)) {
		b->cut++;
		return;
	}
	if (failure) {
		reasons_add(&b->failed, failure);
	} else {
		add_complete(b, n);
	}
	if (n->is_client) {
		enum traffic_part_name by = n->injected ? TRAFFIC_INJECTED : TRAFFIC_UNINJECTED;
		enum traffic_part_name seen = n->mirrored ? TRAFFIC_MIRRORED : TRAFFIC_UNMIRRORED;
		add_part(&t->parts[by], n, failure);
		add_part(&t->parts[seen], n, failure);
	}
}

void traffic_merge(struct traffic *t, const struct traffic *block)
{
	for (size_t i = 0; i < block->n_notes; i++) {
		take(t, &block->notes[i]);
	}
}

void traffic_finish(struct traffic *t)
{
	for (size_t i = 0; i < t->n_notes; i++) {
		free(t->notes[i].backend);
	}
	free(t->notes);
	for (size_t i = 0; i < t->n_backends; i++) {
		struct traffic_backend *b = &t->backends[i];
		struct histogram *all[] = {&b->queued, &b->first_content, &b->last_byte, &b->ttft,
		        &b->itl, &b->tpot, &b->e2e};
		for (size_t k = 0; k < ARRAY_LEN(all); k++) {
			histogram_finish(all[k]);
		}
		reasons_finish(&b->failed);
		free(b->picks);
		free(b->name);
	}
	for (size_t i = 0; i < N_TRAFFIC_PARTS; i++) {
		histogram_finish(&t->parts[i].first_content);
		histogram_finish(&t->parts[i].last_byte);
	}
	*t = (struct traffic){0};
}
