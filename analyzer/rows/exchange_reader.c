#include "analyzer/rows/exchange_reader.h"

#include <math.h>
#include <stdlib.h>

#include "base/mem.h"
#include "backends/manifest_collect.h"
#include "base/check.h"

/* NULL: the manifest does not exist or is unreadable. The result is valid until
 * STATED_DEFAULTS_LIMIT other manifests were read. */
static const struct stated *stated_of(
        struct stated_defaults *t, struct capture *c, struct id manifest)
{
	for (size_t i = 0; i < MIN(t->n, (size_t)STATED_DEFAULTS_LIMIT); i++) {
		if (id_compare(t->items[i].manifest, manifest) == 0) {
			return &t->items[i].stated;
		}
	}
	const struct manifest_row *row =
	        id_is_zero(manifest) ? NULL : capture_manifest(c, manifest);
	struct manifest *m = row && row->json ? manifest_parse(row->json) : NULL;
	if (!m) {
		return NULL;
	}
	size_t at = t->n++ % STATED_DEFAULTS_LIMIT;
	t->items[at].manifest = manifest;
	t->items[at].stated = (struct stated){manifest_sampling(m), manifest_logprobs_basis(m)};
	manifest_destroy(m);
	return &t->items[at].stated;
}

void exchange_reader_init(struct exchange_reader *r, struct capture *c,
        struct stated_defaults *stated, const struct capture_exchange *e)
{
	*r = (struct exchange_reader){
	        .capture = c,
	        .stated = stated,
	        .e = e,
	        .legs = xcalloc(e->n_legs, sizeof(struct exchange_leg)),
	};
}

const struct reading *exchange_reader_reading(struct exchange_reader *r, size_t leg)
{
	struct exchange_leg *own = &r->legs[leg];
	if (!own->was_read) {
		own->was_read = true;
		if (capture_reading(r->capture, r->e, leg, &own->reading) < 0) {
			own->reading = NULL;
		}
	}
	return own->reading;
}

/* The facts of the request as sent to that leg. */
static const struct request_facts *facts_of(struct exchange_reader *r, size_t leg)
{
	struct exchange_leg *own = &r->legs[leg];
	bool edited = decoding_may_differ(&r->e->legs[leg].row);
	/* The record does not have the name under which the request set a repetition penalty, so
	 * read the sent body. */
	if (!edited && isnan(r->e->row.facts.repetition_penalty)) {
		return &r->e->row.facts;
	}
	if (!own->has_facts) {
		struct buf body = {0};
		own->has_facts = true;
		own->facts = edited ? (struct request_facts){.is_json = false} : r->e->row.facts;
		if (capture_sent_body(r->capture, r->e, leg, &body) == 0) {
			request_read(r->e->row.endpoint, buf_span(&body), &own->facts);
		}
		buf_finish(&body);
	}
	return &own->facts;
}

struct decoding_side exchange_reader_decoding(struct exchange_reader *r, size_t leg)
{
	const struct leg_row *row = &r->e->legs[leg].row;
	const struct dialect *d = dialect_find(row->dialect);
	const struct request_facts *facts = facts_of(r, leg);
	const struct reading *reading = exchange_reader_reading(r, leg);
	const struct stated *stated = stated_of(r->stated, r->capture, row->manifest);
	/* A chat may have been sent as a completion. */
	bool recast = r->e->row.endpoint == ENDPOINT_CHAT && r->legs[leg].has_facts &&
	              facts->is_json && facts->n_messages == 0;
	d = d ? d : &dialect_generic;
	return (struct decoding_side){
	        .facts = facts,
	        .endpoint = recast ? ENDPOINT_COMPLETION : r->e->row.endpoint,
	        .dialect = d,
	        .stated = stated ? &stated->defaults : NULL,
	        .basis = stated ? stated->basis : d->basis,
	        .finish = reading && reading->n_choices ? reading->choices[0].finish : NULL,
	        .dropped = (row->marks & LEG_DROPPED) != 0,
	};
}

struct span exchange_reader_body(struct exchange_reader *r)
{
	if (!r->has_body) {
		r->has_body = true;
		if (capture_request_body(r->capture, r->e, &r->body) != 0) {
			buf_clear(&r->body);
		}
	}
	return buf_span(&r->body);
}

/* Reads the request once, and only if two answers are compared. */
const struct task *exchange_reader_task(struct exchange_reader *r)
{
	struct span body = exchange_reader_body(r);
	if (!r->has_task) {
		r->has_task = true;
		task_read(&r->task, r->e->row.endpoint, body);
		r->task.gold = span_of(r->e->row.labels.gold);
	}
	return &r->task;
}

void exchange_reader_finish(struct exchange_reader *r)
{
	for (size_t i = 0; i < r->e->n_legs; i++) {
		capture_reading_done(r->capture, r->legs[i].reading);
	}
	free(r->legs);
	task_finish(&r->task);
	buf_finish(&r->body);
}
