#include "analyzer/report/document_parts.h"

#include <math.h>

#include "analyzer/causes/draws_text.h"
#include "analyzer/report/document_values.h"

static json_t *needed(double n)
{
	return report_number(isnan(n) ? n : document_rounded(n));
}

static json_t *temperature(const struct draws_group *g)
{
	const struct draws_temperature *t = &g->found.temperature;
	json_t *o = json_object();
	struct buf text = {0};
	draws_text_put_temperature(&text, g);
	json_object_set_new(o, "asked", report_number(t->asked));
	json_object_set_new(o, "unasked", json_boolean(g->unasked));
	json_object_set_new(o, "ratio", report_number(t->ratio));
	json_object_set_new(o, "ci95", report_interval(t->ci));
	json_object_set_new(o, "state", json_string(draws_state_name(t->state, true)));
	json_object_set_new(o, "p", report_number(t->p));
	json_object_set_new(o, "needed", needed(t->needed));
	json_object_set_new(o, "text", document_text(buf_cstr(&text)));
	buf_finish(&text);
	return o;
}

static json_t *cut(const struct draws_cut_found *c)
{
	json_t *o = json_object();
	json_object_set_new(o, "state", json_string(draws_state_name(c->state, false)));
	json_object_set_new(o, "at", report_number(c->at));
	json_object_set_new(o, "wider_than", report_number(c->wider));
	json_object_set_new(o, "seen", report_integer(0));
	json_object_set_new(o, "expected", report_number(c->expected));
	json_object_set_new(o, "after_temperature", json_boolean(c->after));
	json_object_set_new(o, "p", report_number(c->p));
	json_object_set_new(o, "needed", needed(c->needed));
	return o;
}

static json_t *truncation(const struct draws_findings *f)
{
	json_t *o = json_object();
	json_object_set_new(o, "within", report_integer(f->longest));
	json_object_set_new(o, "top_k", cut(&f->cuts[DRAWS_CUT_TOP_K]));
	json_object_set_new(o, "top_p", cut(&f->cuts[DRAWS_CUT_TOP_P]));
	json_object_set_new(o, "min_p", cut(&f->cuts[DRAWS_CUT_MIN_P]));
	return o;
}

static json_t *penalty(const struct draws_penalty_found *p)
{
	bool known = p->kind < N_DRAWS_PENALTIES;
	json_t *o = json_object();
	json_object_set_new(o, "state", json_string(draws_state_name(p->state, false)));
	json_object_set_new(
	        o, "kind", json_string(known ? draws_penalty_name(p->kind) : "unknown"));
	json_object_set_new(o, "shift_nats", report_number(p->shift));
	json_object_set_new(o, "ci95", report_interval(p->ci));
	json_object_set_new(o, "p", report_number(p->p));
	json_object_set_new(o, "needed", needed(p->needed));
	return o;
}

static json_t *calibration(const struct draws_calibration *c)
{
	json_t *o = json_object(), *ranks = json_array();
	for (size_t i = 0; i < DRAWS_RANKS && c->sd[i] > 0; i++) {
		json_t *rank = json_object();
		json_object_set_new(rank, "rank", report_integer(i + 1));
		json_object_set_new(rank, "seen", report_integer(c->seen[i]));
		json_object_set_new(rank, "expected", report_number(c->expected[i]));
		json_object_set_new(rank, "sd", report_number(c->sd[i]));
		json_array_append_new(ranks, rank);
	}
	json_object_set_new(o, "state", json_string(draws_state_name(c->state, false)));
	json_object_set_new(o, "ranks", ranks);
	json_object_set_new(o, "p", report_number(c->p));
	return o;
}

static json_t *repeats(const struct draws_repeats *r)
{
	json_t *o = json_object();
	json_object_set_new(o, "state", json_string(draws_state_name(r->state, false)));
	json_object_set_new(o, "pairs", report_integer(r->pairs));
	json_object_set_new(o, "identical", report_integer(r->identical));
	json_object_set_new(o, "expected", report_number(r->expected));
	json_object_set_new(o, "p", report_number(r->p));
	return o;
}

static json_t *excluded(const struct draws_group *g)
{
	json_t *o = json_object();
	for (size_t e = 1; e < N_DRAWS_EXCLUSIONS; e++) {
		if (g->excluded[e] > 0) {
			json_object_set_new(o, draws_exclusion_name((enum draws_exclusion)e),
			        report_integer(g->excluded[e]));
		}
	}
	if (g->other_temperatures > 0) {
		json_object_set_new(o, "other_temperatures", report_integer(g->other_temperatures));
	}
	return o;
}

static json_t *findings(const struct draws_group *g)
{
	json_t *list = json_array();
	for (size_t f = 0; f < N_DRAWS_FINDINGS; f++) {
		enum draws_finding finding = (enum draws_finding)f;
		struct buf text = {0};
		json_t *o;
		if (!draws_finding_is_there(g, finding)) {
			continue;
		}
		o = json_object();
		draws_text_put(&text, g, finding);
		json_object_set_new(o, "cause", json_string(draws_finding_name(finding)));
		json_object_set_new(o, "text", document_text(buf_cstr(&text)));
		json_object_set_new(o, "tokens", report_integer(g->found.draws));
		json_object_set_new(o, "needed", needed(draws_finding_needed(g, finding)));
		json_array_append_new(list, o);
		buf_finish(&text);
	}
	return list;
}

static json_t *name(const char *text)
{
	return document_text(text[0] ? text : NULL);
}

static json_t *group(const struct draws_group *g)
{
	const struct draws_findings *f = &g->found;
	char id[ID_TEXT_SIZE];
	json_t *o = json_object();
	json_object_set_new(o, "backend", document_text(g->backend));
	json_object_set_new(o, "model", name(g->model));
	json_object_set_new(o, "replica", name(g->replica));
	json_object_set_new(o, "stack",
	        id_is_zero(g->stack) ? json_null() : json_string(id_format(g->stack, id)));
	json_object_set_new(o, "role", json_string(role_name(g->role)));
	json_object_set_new(o, "answers", report_integer(g->answers));
	json_object_set_new(o, "tokens", report_integer(f->tokens));
	json_object_set_new(o, "draws", report_integer(f->draws));
	json_object_set_new(o, "lists", json_string(draws_lists_name(f->lists)));
	json_object_set_new(o, "temperature", temperature(g));
	json_object_set_new(o, "truncation", truncation(f));
	json_object_set_new(o, "penalty", penalty(&f->penalty));
	json_object_set_new(o, "calibration", calibration(&f->calibration));
	json_object_set_new(o, "repeats", repeats(&f->repeats));
	json_object_set_new(o, "excluded", excluded(g));
	json_object_set_new(o, "findings", findings(g));
	return o;
}

json_t *report_draws_json(const struct draws *d)
{
	json_t *list = json_array();
	for (size_t i = 0; i < d->n_groups; i++) {
		json_array_append_new(list, group(&d->groups[i]));
	}
	return list;
}
