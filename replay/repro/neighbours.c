#include "replay/repro/neighbours.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/verb_fail.h"

static uint64_t end_of(const struct leg_row *row)
{
	return row->start_ns + (row->end_us != UINT64_MAX ? row->end_us * 1000 : 0);
}

/* Whether both legs belong to the same traffic of one engine: that of the proxy, whichever
 * process wrote it, or that of one replay. */
static bool are_together(const struct leg_row *a, const struct leg_row *b)
{
	bool same = a->backend && b->backend && strcmp(a->backend, b->backend) == 0;
	return same && !(b->marks & (LEG_SCORED | LEG_IMPORTED)) &&
	       (a->role == ROLE_PRIMARY ? b->role == ROLE_PRIMARY
	                                : id_compare(a->run, b->run) == 0);
}

static int by_start(const void *first, const void *second)
{
	const struct member *a = first, *b = second;
	int r = (a->start > b->start) - (a->start < b->start);
	return r ? r : id_compare(a->exchange, b->exchange);
}

static uint64_t distance(uint64_t examined, uint64_t start, uint64_t end)
{
	return 1 + (start > examined ? start - examined : end < examined ? examined - end : 0);
}

/* Sorts by distance. At equal distance, the request that began last comes first. */
static int by_distance(const void *first, const void *second)
{
	const struct member *a = first, *b = second;
	int r = (a->far > b->far) - (a->far < b->far);
	return r ? r : -by_start(a, b);
}

static void consider(
        struct neighbourhood *h, const struct capture_exchange *e, size_t leg, size_t *room)
{
	const struct leg_row *examined = &h->examined.legs[h->examined_leg].row,
	                     *row = &e->legs[leg].row;
	uint64_t end = end_of(row), reach = MIN(h->o->window, examined->start_ns);
	bool is_examined = id_compare(row->id, examined->id) == 0;
	if (!is_examined && (!are_together(examined, row) || row->start_ns > end_of(examined) ||
	                            end < examined->start_ns - reach)) {
		return;
	}
	if (h->n == *room) {
		*room = MAX(*room * 2, (size_t)32);
		h->members = xrealloc(h->members, *room * sizeof(*h->members));
	}
	h->members[h->n++] = (struct member){
	        .exchange = e->row.id,
	        .start = row->start_ns,
	        .end = end,
	        .far = is_examined ? 0 : distance(examined->start_ns, row->start_ns, end),
	        .with = !is_examined && row->start_ns <= examined->start_ns &&
	                end >= examined->start_ns,
	        .left = row->outcome == OUTCOME_CLIENT_GONE,
	};
}

int neighbours_find(struct neighbourhood *h, struct capture *c, struct capture_exchange *examined,
        const struct neighbours_options *o)
{
	struct capture_exchange e;
	size_t room = 0;
	*h = (struct neighbourhood){.o = o, .capture = c, .examined = *examined};
	h->examined_leg = capture_first_answer(examined);
	if (examined->absent || h->examined_leg == examined->n_legs) {
		char id[ID_TEXT_SIZE];
		return verb_fail("repro", EXIT_NOT_ENOUGH,
		        xasprintf("exchange %s has no answer in this capture",
		                id_format(examined->row.id, id)));
	}
	capture_rewind(c);
	while (capture_next(c, &e) == 1) {
		for (size_t i = 0; i < e.n_legs; i++) {
			consider(h, &e, i, &room);
		}
		capture_exchange_finish(&e);
	}
	if (h->n == 0) {
		return verb_fail(
		        "repro", EXIT_RUNTIME, xstrdup("the exchange can no longer be read"));
	}
	/* The requests that are nearest in time are the likeliest cause. */
	size_t most = o->limit < h->n ? (size_t)o->limit + 1 : h->n;
	qsort(h->members, h->n, sizeof(*h->members), by_distance);
	h->too_many = h->n - most;
	h->n = most;
	qsort(h->members, h->n, sizeof(*h->members), by_start);
	uint64_t start = examined->legs[h->examined_leg].row.start_ns;
	for (size_t i = 0; i < h->n; i++) {
		if (id_compare(h->members[i].exchange, examined->row.id) == 0 &&
		        h->members[i].start == start) {
			h->at = i;
		}
	}
	return EXIT_PASS;
}

/* Removes a member: not the examined one, except to remove all of them from the end. */
static void drop(struct neighbourhood *h, size_t i)
{
	job_destroy(h->members[i].job);
	free(h->members[i].path);
	memmove(&h->members[i], &h->members[i + 1], (h->n - i - 1) * sizeof(*h->members));
	h->n--;
	if (i < h->at) {
		h->at--;
	}
}

/* NULL, or why the request cannot be sent. t NULL: it is only written, not sent. */
static const char *make_ready(struct source *s, const struct target *t, struct member *m)
{
	const struct plan_request request = {.exchange = m->exchange};
	struct job *j = xcalloc(1, sizeof(*j));
	j->exchange = m->exchange;
	const char *why = source_load(s, &request, &j->source);
	if (!why && !endpoint_is_openai(j->source.endpoint)) {
		why = "neither a chat nor a completion";
	}
	if (!why && t) {
		why = job_make(j, t, false);
	}
	if (why) {
		job_destroy(j);
		return why;
	}
	m->job = j;
	if (t) {
		m->path = target_path(t, j->source.target, j->made.endpoint != j->source.endpoint);
	}
	return NULL;
}

int neighbours_load(struct neighbourhood *h, const struct target *t)
{
	struct source *s = source_capture(h->capture);
	const char *failure = NULL;
	for (size_t i = 0; i < h->n && !failure;) {
		const char *why = make_ready(s, t, &h->members[i]);
		if (!why) {
			i++;
		} else if (i == h->at) {
			failure = why;
		} else {
			error_tally_add(&h->unfit, why);
			drop(h, i);
		}
	}
	source_destroy(s);
	return failure ? verb_fail("repro", EXIT_NOT_ENOUGH,
	                         xasprintf("its request can't be sent again: %s", failure))
	               : EXIT_PASS;
}

void neighbours_put_lines(
        const struct neighbourhood *h, const uint32_t *only, size_t n, struct buf *to)
{
	for (size_t i = 0, k = 0; i < h->n; i++) {
		bool chosen = !only || i == h->at || (k < n && only[k] == i);
		k += only && k < n && only[k] == i;
		const struct member *m = &h->members[i];
		char id[ID_TEXT_SIZE];
		if (chosen) {
			source_put_line(to, id_format(m->exchange, id), m->job->source.target, NULL,
			        m->start, buf_span(&m->job->source.body));
		}
	}
}

void neighbours_finish(struct neighbourhood *h)
{
	while (h->n > 0) {
		drop(h, h->n - 1);
	}
	free(h->members);
	error_tally_finish(&h->unfit);
	capture_exchange_finish(&h->examined);
	*h = (struct neighbourhood){0};
}

int neighbours_check_models(const struct neighbourhood *h, const struct replay_backend *b)
{
	struct source_scan scan = {0};
	for (size_t i = 0; i < h->n && scan.n_models < SOURCE_MODELS_LIMIT; i++) {
		scan.models[scan.n_models++] = xstrdup(h->members[i].job->source.facts.model);
	}
	int code = replay_backend_check_models(b, &h->o->backend, &scan);
	source_scan_finish(&scan);
	return code;
}
