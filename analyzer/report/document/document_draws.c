#include "analyzer/report/document/document_parts.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "analyzer/causes/draws_text.h"
#include "analyzer/report/document/document_values.h"
#include "base/plural.h"

/* Texts advise no larger number of draws: about 100 for each of VERDICT_NEEDED_MOST answers. */
#define NEEDED_MOST (100 * VERDICT_NEEDED_MOST)

static json_t *needed(double n)
{
	return node_real(isnan(n) ? n : document_rounded(n));
}

/* Describes what the tests of a group without findings show. Without the backend's name and
 * without a full stop; the caller frees it. */
static char *tested(const struct draws_group *g)
{
	static const struct {
		enum draws_finding finding;
		const char *usual;
	} TESTS[] = {
	        {DRAWS_FINDING_TEMPERATURE, "a temperature that is off by 10 %"},
	        {DRAWS_FINDING_PENALTY, "a penalty of 0.1 nats"},
	        {DRAWS_FINDING_TOP_K, "a top_k of 10"},
	        {DRAWS_FINDING_TOP_P, "a top_p of 0.95"},
	        {DRAWS_FINDING_MIN_P, "a min_p of 0.05"},
	};
	const struct draws_findings *f = &g->found;
	struct buf text = {0};
	buf_append_str(&text, "nothing found in ");
	document_put_count(&text, f->draws);
	buf_append_str(&text, plural(f->draws, " draw", " draws"));
	if (f->tests[DRAWS_FINDING_TEMPERATURE].state != DRAWS_TOO_FEW) {
		buf_append_str(&text, "; ");
		draws_text_put_temperature(&text, g);
	}
	const char *before = "; a cut is there, but the draws fit several kinds: ";
	bool is_cut = false;
	for (size_t k = 0; k < DRAWS_CUT_KINDS; k++) {
		enum draws_finding finding = DRAWS_FINDING_TOP_K + k;
		const struct draws_test *t = &f->tests[finding];
		if (t->state == DRAWS_TOO_FEW && t->p < DRAWS_ALPHA) {
			buf_printf(&text, "%sa %s of %.4g", before, draws_finding_name(finding),
			        f->cuts[k].at);
			before = ", ";
			is_cut = true;
		}
	}
	if (!is_cut) {
		buf_printf(&text, "; no cut is seen within its lists of %" PRIu32, f->longest);
	}
	const char *after = " draws are needed";
	for (size_t i = 0; i < (is_cut ? 2 : ARRAY_LEN(TESTS)); i++) {
		const struct draws_test *t = &f->tests[TESTS[i].finding];
		if (t->state == DRAWS_TOO_FEW && t->needed <= NEEDED_MOST) {
			buf_printf(&text, "; to see %s, about ", TESTS[i].usual);
			document_put_count(&text, (uint64_t)document_rounded(t->needed));
			buf_append_str(&text, after);
			after = "";
		}
	}
	return buf_steal(&text);
}

/* high infinite: the interval has no upper end. */
static json_t *open_interval(struct interval i)
{
	return isinf(i.high) ? json_pack("[f, n]", i.low) : document_interval(i);
}

static json_t *temperature(const struct draws_group *g)
{
	const struct draws_temperature *t = &g->found.temperature;
	const struct draws_test *test = &g->found.tests[DRAWS_FINDING_TEMPERATURE];
	json_t *o = json_object();
	struct buf text = {0};
	draws_text_put_temperature(&text, g);
	node_set_number(o, "asked", t->asked);
	node_set_flag(o, "unasked", g->unasked);
	node_set_number(o, "ratio", t->ratio);
	node_set_count(o, "n", g->found.draws);
	json_object_set_new(o, "ci95", open_interval(t->ci));
	node_set_text(o, "state", draws_state_name(test->state, true));
	node_set_number(o, "p", test->p);
	json_object_set_new(o, "needed", needed(test->needed));
	node_set_text(o, "text", buf_cstr(&text));
	buf_finish(&text);
	return o;
}

static json_t *cut(const struct draws_findings *f, enum draws_finding finding)
{
	const struct draws_test *test = &f->tests[finding];
	const struct draws_cut_found *c = &f->cuts[finding - DRAWS_FINDING_TOP_K];
	json_t *o = json_object();
	node_set_text(o, "state", draws_state_name(test->state, false));
	node_set_number(o, "at", c->at);
	node_set_number(o, "wider_than", c->wider);
	node_set_count(o, "seen", 0); /* a cut is a limit beyond which no token was drawn */
	node_set_number(o, "expected", c->expected);
	node_set_flag(o, "after_temperature", c->after);
	node_set_number(o, "p", test->p);
	json_object_set_new(o, "needed", needed(test->needed));
	return o;
}

static json_t *truncation(const struct draws_findings *f)
{
	json_t *o = json_object();
	node_set_count(o, "within", f->longest);
	json_object_set_new(o, "top_k", cut(f, DRAWS_FINDING_TOP_K));
	json_object_set_new(o, "top_p", cut(f, DRAWS_FINDING_TOP_P));
	json_object_set_new(o, "min_p", cut(f, DRAWS_FINDING_MIN_P));
	return o;
}

static json_t *penalty(const struct draws_findings *f)
{
	const struct draws_penalty_found *p = &f->penalty;
	const struct draws_test *test = &f->tests[DRAWS_FINDING_PENALTY];
	const struct draws_shift *s = draws_penalty_shift(p);
	bool known = p->kind < N_DRAWS_PENALTIES;
	json_t *o = json_object();
	node_set_text(o, "state", draws_state_name(test->state, false));
	node_set_text(o, "kind", known ? draws_penalty_name(p->kind) : "unknown");
	node_set_number(o, "shift_nats", s->nats);
	node_set_count(o, "n", f->draws);
	json_object_set_new(o, "ci95", document_interval(s->ci));
	node_set_number(o, "p", test->p);
	json_object_set_new(o, "needed", needed(test->needed));
	return o;
}

static json_t *calibration(const struct draws_findings *f)
{
	const struct draws_calibration *c = &f->calibration;
	const struct draws_test *test = &f->tests[DRAWS_FINDING_CALIBRATION];
	json_t *o = json_object(), *ranks = json_array();
	uint64_t draws = 0;
	for (size_t i = 0; i < DRAWS_RANKS && c->sd[i] > 0; i++) {
		json_t *rank = json_object();
		node_set_count(rank, "rank", i + 1);
		node_set_count(rank, "seen", c->seen[i]);
		node_set_number(rank, "expected", c->expected[i]);
		node_set_number(rank, "sd", c->sd[i]);
		json_array_append_new(ranks, rank);
		draws += c->seen[i];
	}
	node_set_text(o, "state", draws_state_name(test->state, false));
	node_set_number(o, "value", c->off);
	node_set_count(o, "n", draws);
	json_object_set_new(o, "ci95", document_interval(c->off_ci));
	json_object_set_new(o, "ranks", ranks);
	node_set_number(o, "p", test->p);
	return o;
}

static json_t *repeats(const struct draws_findings *f)
{
	const struct draws_repeats *r = &f->repeats;
	const struct draws_test *test = &f->tests[DRAWS_FINDING_REPEATS];
	json_t *o = json_object();
	double above = fmax(0, (double)r->identical - r->expected);
	node_set_text(o, "state", draws_state_name(test->state, false));
	node_set_number(o, "value", r->pairs > 0 ? above : NAN);
	node_set_count(o, "pairs", r->pairs);
	node_set_count(o, "identical", r->identical);
	node_set_number(o, "expected", r->expected);
	node_set_number(o, "p", test->p);
	return o;
}

static json_t *excluded(const struct draws_group *g)
{
	json_t *o = json_object();
	for (size_t e = 1; e < N_DRAWS_EXCLUSIONS; e++) {
		if (g->excluded[e] > 0) {
			node_set_count(
			        o, draws_exclusion_name((enum draws_exclusion)e), g->excluded[e]);
		}
	}
	if (g->other_temperatures > 0) {
		node_set_count(o, "other_temperatures", g->other_temperatures);
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
		node_set_text(o, "cause", draws_finding_name(finding));
		node_set_text(o, "text", buf_cstr(&text));
		node_set_count(o, "tokens", g->found.draws);
		json_object_set_new(o, "needed", needed(g->found.tests[f].needed));
		json_array_append_new(list, o);
		buf_finish(&text);
	}
	return list;
}

static json_t *name(const char *text)
{
	return node_string(text[0] ? text : NULL);
}

static json_t *group(const struct draws_group *g)
{
	const struct draws_findings *f = &g->found;
	char id[ID_TEXT_SIZE];
	json_t *o = json_object();
	node_set_text(o, "backend", g->backend);
	json_object_set_new(o, "model", name(g->model));
	json_object_set_new(o, "replica", name(g->replica));
	json_object_set_new(o, "stack",
	        id_is_zero(g->stack) ? json_null() : json_string(id_format(g->stack, id)));
	node_set_text(o, "role", role_name(g->role));
	node_set_count(o, "answers", g->answers);
	node_set_count(o, "tokens", f->tokens);
	node_set_count(o, "draws", f->draws);
	node_set_text(o, "lists", logprobs_basis_name(f->lists));
	json_object_set_new(o, "temperature", temperature(g));
	json_object_set_new(o, "truncation", truncation(f));
	json_object_set_new(o, "penalty", penalty(f));
	json_object_set_new(o, "calibration", calibration(f));
	json_object_set_new(o, "repeats", repeats(f));
	json_object_set_new(o, "excluded", excluded(g));
	json_t *found = findings(g);
	char *text = f->draws > 0 && json_array_size(found) == 0 ? tested(g) : NULL;
	node_set_text(o, "text", text);
	free(text);
	node_set_count(o, "n_findings", json_array_size(found));
	json_object_set_new(o, "findings", found);
	return o;
}

json_t *document_draws(const struct draws *d)
{
	json_t *list = json_array();
	for (size_t i = 0; i < d->n_groups; i++) {
		json_array_append_new(list, group(&d->groups[i]));
	}
	return list;
}
