#include "analyzer/trial_work.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

void trial_work_init(struct trial_work *w, struct trial *t, const struct capture_exchange *e)
{
	*w = (struct trial_work){
	        .trial = t,
	        .e = e,
	        .legs = xcalloc(e->n_legs, sizeof(struct trial_leg)),
	};
	memcpy(w->cluster, clusters_key_of(&e->row), sizeof(w->cluster));
}

const struct reading *trial_work_reading(struct trial_work *w, size_t leg)
{
	struct trial_leg *own = &w->legs[leg];
	if (!own->tried) {
		own->tried = true;
		if (capture_reading(w->trial->capture, w->e, leg, &own->reading) < 0) {
			own->reading = NULL;
		}
	}
	return own->reading;
}

const struct request_facts *trial_work_facts(struct trial_work *w, size_t leg)
{
	struct trial_leg *own = &w->legs[leg];
	bool edited = decoding_may_differ(&w->e->legs[leg].row);
	/* A record does not say under which name a repetition penalty was set. */
	if (!edited && isnan(w->e->row.facts.repetition_penalty)) {
		return &w->e->row.facts;
	}
	if (!own->has_facts) {
		struct buf body = {0};
		own->has_facts = true;
		own->facts = edited ? (struct request_facts){.is_json = false} : w->e->row.facts;
		if (capture_sent_body(w->trial->capture, w->e, leg, &body) == 0) {
			request_read(w->e->row.endpoint, buf_span(&body), &own->facts);
		}
		buf_finish(&body);
	}
	return &own->facts;
}

struct decoding_side trial_work_side(struct trial_work *w, size_t leg)
{
	const struct leg_row *row = &w->e->legs[leg].row;
	const struct dialect *d = dialect_find(row->dialect);
	const struct request_facts *facts = trial_work_facts(w, leg);
	const struct reading *r = trial_work_reading(w, leg);
	/* A chat may have been sent as a completion. */
	bool recast = w->e->row.endpoint == ENDPOINT_CHAT && w->legs[leg].has_facts &&
	              facts->is_json && facts->n_messages == 0;
	return (struct decoding_side){
	        .facts = facts,
	        .endpoint = recast ? ENDPOINT_COMPLETION : w->e->row.endpoint,
	        .dialect = d ? d : &dialect_generic,
	        .told = told_get(&w->trial->told, w->trial->capture, row->manifest),
	        .finish = r && r->n_choices ? r->choices[0].finish : NULL,
	        .dropped = (row->marks & LEG_DROPPED) != 0,
	};
}

struct span trial_work_body(struct trial_work *w)
{
	if (!w->has_body) {
		w->has_body = true;
		if (capture_request_body(w->trial->capture, w->e, &w->body) != 0) {
			buf_clear(&w->body);
		}
	}
	return buf_span(&w->body);
}

/* The request is read once, and only where two answers are compared. */
const struct task *trial_work_task(struct trial_work *w)
{
	struct span body = trial_work_body(w);
	if (!w->has_task) {
		w->has_task = true;
		task_read(&w->task, w->e->row.endpoint, body);
		w->task.gold = span_of(w->e->row.labels.gold);
	}
	return &w->task;
}

void trial_work_finish(struct trial_work *w)
{
	for (size_t i = 0; i < w->e->n_legs; i++) {
		capture_reading_done(w->trial->capture, w->legs[i].reading);
	}
	free(w->legs);
	free(w->judged);
	task_finish(&w->task);
	buf_finish(&w->body);
}
