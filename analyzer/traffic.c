#include "analyzer/traffic.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <xxhash.h>

#include "analyzer/names.h"
#include "base/mem.h"
#include "capture/leg_flaw.h"

#define NOTES_AT_FIRST 512 /* most blocks' exchanges have two legs each */

/* What is kept of a leg until its block is merged. */
struct traffic_note {
	const char *backend;
	struct id exchange, leg, run;
	uint64_t part;
	enum role role;
	enum outcome outcome;
	const char *failure; /* NULL: it did not fail */
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

static uint64_t part_of(const struct capture_exchange *e, const struct leg_row *leg)
{
	const char *suite = e->row.labels.suite ? e->row.labels.suite : "";
	return XXH3_64bits_withSeed(suite, strlen(suite), leg->repeat);
}

static const char *failure_of(const struct leg_row *leg, struct arena *names)
{
	char text[FLAW_TEXT_SIZE];
	enum flaw f = leg_flaw(leg, NULL);
	if (f == FLAW_NONE) {
		return NULL;
	}
	leg_flaw_print(leg, NULL, f, text);
	return arena_text(names, span_of(text));
}

static struct traffic_note note_of(
        const struct capture_exchange *e, const struct leg_row *leg, struct arena *names)
{
	bool primary = leg->role == ROLE_PRIMARY;
	return (struct traffic_note){
	        .backend = arena_text(names, span_of(names_of_backend(leg))),
	        .exchange = e->row.id,
	        .leg = leg->id,
	        .run = leg->run,
	        .part = part_of(e, leg),
	        .role = leg->role,
	        .outcome = leg->outcome,
	        .failure = failure_of(leg, names),
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
			t->notes_room = t->notes_room ? 2 * t->notes_room : NOTES_AT_FIRST;
			t->notes = xrealloc(t->notes, t->notes_room * sizeof(*t->notes));
		}
		t->notes[t->n_notes++] = note_of(e, &e->legs[i].row, &t->names);
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
	if (!t->backends) {
		t->backends = xcalloc(TRAFFIC_BACKENDS, sizeof(*t->backends));
	}
	struct traffic_backend *b = &t->backends[t->n_backends++];
	*b = (struct traffic_backend){.name = xstrdup(n->backend), .role = n->role};
	return b;
}

static int by_run_and_time(const void *a, const void *b)
{
	const struct traffic_pass *x = a, *y = b;
	int order = id_compare(x->run, y->run);
	return order ? order : (x->first_ns > y->first_ns) - (x->first_ns < y->first_ns);
}

static bool of_one_run(const struct traffic_pass *a, const struct traffic_pass *b)
{
	return id_compare(a->run, b->run) == 0;
}

/* In that order. Passes of one run may overlap, as where repeats are mixed: no time counts twice. */
static double seconds_of(const struct traffic_pass *passes, size_t n)
{
	double seconds = 0;
	uint64_t until = 0;
	for (size_t i = 0; i < n; i++) {
		bool next = i == 0 || !of_one_run(&passes[i], &passes[i - 1]);
		uint64_t from = next ? passes[i].first_ns : MAX(passes[i].first_ns, until);
		until = next ? passes[i].last_ns : MAX(passes[i].last_ns, until);
		seconds += until > from ? (double)(until - from) / 1e9 : 0;
	}
	return seconds;
}

static void leave_out(struct traffic_backend *b, size_t from, size_t n)
{
	b->n_passes -= n;
	memmove(b->passes + from, b->passes + from + n,
	        (b->n_passes - from) * sizeof(b->passes[0]));
}

/* Of all in their order but those of the run: how many has the run that began first, and where. */
static size_t find_oldest(const struct traffic_backend *b, struct id but, size_t *ret_from)
{
	size_t n = 0;
	for (size_t i = 0; i < b->n_passes; i++) {
		const struct traffic_pass *p = &b->passes[i];
		bool begins = i == 0 || !of_one_run(p, p - 1);
		if (begins && id_compare(p->run, but) != 0 &&
		        (n == 0 || p->first_ns < b->passes[*ret_from].first_ns)) {
			*ret_from = i;
			n = 1;
		} else if (n > 0 && i == *ret_from + n && of_one_run(p, p - 1)) {
			n++;
		}
	}
	return n;
}

/* Of one run's: the two with the least time between them become one. */
static void join_nearest(struct traffic_backend *b)
{
	size_t nearest = 0;
	uint64_t least = UINT64_MAX;
	for (size_t i = 0; i + 1 < b->n_passes; i++) {
		const struct traffic_pass *p = &b->passes[i];
		uint64_t gap = p[1].first_ns > p->last_ns ? p[1].first_ns - p->last_ns : 0;
		if (gap < least) {
			least = gap;
			nearest = i;
		}
	}
	struct traffic_pass *p = &b->passes[nearest];
	p->last_ns = MAX(p->last_ns, p[1].last_ns);
	leave_out(b, nearest + 1, 1);
}

/* Which makes as little untrue as can be: a run that is over is summed up, for the next ones are later. */
static void make_room(struct traffic_backend *b, struct id run)
{
	size_t from = 0;
	qsort(b->passes, b->n_passes, sizeof(b->passes[0]), by_run_and_time);
	size_t n = find_oldest(b, run, &from);
	if (n == 0) {
		join_nearest(b);
		return;
	}
	b->closed_seconds += seconds_of(b->passes + from, n);
	b->closed_runs++;
	leave_out(b, from, n);
}

static void span_pass(struct traffic_backend *b, const struct traffic_note *n)
{
	uint64_t took = n->end_us == UINT64_MAX ? 0 : n->end_us * 1000;
	uint64_t end = n->start_ns > UINT64_MAX - took ? n->start_ns : n->start_ns + took;
	struct traffic_pass *p = NULL;
	for (size_t i = 0; i < b->n_passes && !p; i++) {
		struct traffic_pass *is = &b->passes[i];
		p = id_compare(is->run, n->run) == 0 && is->part == n->part ? is : NULL;
	}
	if (!p) {
		if (b->n_passes == TRAFFIC_PASSES) {
			make_room(b, n->run);
		}
		p = &b->passes[b->n_passes++];
		*p = (struct traffic_pass){n->run, n->part, n->start_ns, end};
	}
	p->first_ns = MIN(p->first_ns, n->start_ns);
	p->last_ns = MAX(p->last_ns, end);
}

double traffic_seconds(const struct traffic_backend *b)
{
	struct traffic_pass passes[TRAFFIC_PASSES];
	memcpy(passes, b->passes, b->n_passes * sizeof(*passes));
	qsort(passes, b->n_passes, sizeof(*passes), by_run_and_time);
	return b->closed_seconds + seconds_of(passes, b->n_passes);
}

size_t traffic_runs(const struct traffic_backend *b)
{
	size_t n = b->closed_runs;
	for (size_t i = 0; i < b->n_passes; i++) {
		size_t k = 0;
		while (k < i && id_compare(b->passes[k].run, b->passes[i].run) != 0) {
			k++;
		}
		n += k == i;
	}
	return n;
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
	uint64_t hash = XXH3_64bits(n->leg.bytes, sizeof(n->leg.bytes));
	/* The first ones lie in their order since they were cut: what is beyond them all would not stay. */
	if (b->is_sample && hash > b->picks[TRAFFIC_SAMPLE - 1].hash) {
		return;
	}
	if (!b->picks) {
		b->picks = xcalloc(room, sizeof(*b->picks));
	}
	if (b->n_picks == room) {
		traffic_thin(b);
	}
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
	struct traffic_backend *b = backend_of(t, n);
	if (!b) {
		t->beyond++;
		return;
	}
	b->answers++;
	b->body_bytes += n->body_bytes;
	b->busy_us += n->end_us == UINT64_MAX ? 0 : n->end_us;
	span_pass(b, n);
	if (is_cut(n)) {
		b->cut++;
		return;
	}
	if (n->failure) {
		reasons_add(&b->failed, n->failure);
	} else {
		add_complete(b, n);
	}
	if (n->is_client) {
		enum traffic_part_name by = n->injected ? TRAFFIC_INJECTED : TRAFFIC_UNINJECTED;
		enum traffic_part_name seen = n->mirrored ? TRAFFIC_MIRRORED : TRAFFIC_UNMIRRORED;
		add_part(&t->parts[by], n, n->failure);
		add_part(&t->parts[seen], n, n->failure);
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
	free(t->notes);
	arena_finish(&t->names);
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
	free(t->backends);
	for (size_t i = 0; i < N_TRAFFIC_PARTS; i++) {
		histogram_finish(&t->parts[i].first_content);
		histogram_finish(&t->parts[i].last_byte);
	}
	*t = (struct traffic){0};
}
