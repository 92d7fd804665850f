#include "analyzer/report/document_causes.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "analyzer/report/document_values.h"
#include "analyzer/report/unjudged.h"
#include "base/buf.h"
#include "base/mem.h"

/* 1,210 */
static void put_count(struct buf *to, uint64_t n)
{
	char digits[24];
	int len = snprintf(digits, sizeof(digits), "%" PRIu64, n);
	for (int i = 0; i < len; i++) {
		if (i > 0 && (len - i) % 3 == 0) {
			buf_append_char(to, ',');
		}
		buf_append_char(to, digits[i]);
	}
}

static bool is_trusted(const struct analysis_group *g)
{
	return (g->base_role == ROLE_REFERENCE && g->test_role != ROLE_REFERENCE) ||
	       (g->base_role == ROLE_PRIMARY && g->test_role == ROLE_CANDIDATE);
}

/* Who differs: the tested side where the other is trusted, else both. */
static void put_subject(struct buf *to, const struct analysis_group *g)
{
	if (!is_trusted(g)) {
		buf_printf(to, "The answers of %s and %s", g->test, g->base);
	} else if (g->test_role == ROLE_PRIMARY) {
		buf_append_str(to, "The primary's answers");
	} else if (g->test_role == ROLE_CANDIDATE) {
		buf_append_str(to, "The candidate's answers");
	} else {
		buf_printf(to, "%s's answers", g->test);
	}
}

/* ", 9 times the noise floor" */
static void put_floor(struct buf *to, const struct analysis_group *g)
{
	const struct blame_verdict *v = &g->blames[BLAME_DIFFER];
	enum blame_ground ground = blame_ground(&g->blame);
	if (g->is_floor || ground == BLAME_GROUND_NONE || isnan(v->excess.value)) {
		return;
	}
	double floor = v->by[BLAME_TRIAL].value - v->excess.value;
	enum blame_finding found = blame_finding(&g->blame, g->blames);
	if (found == BLAME_WITHIN) {
		buf_append_str(to, ", no more than an engine differs from itself");
	} else if (found == BLAME_UNTOLD) {
		buf_append_str(to, ", not shown to be more than an engine differs from itself");
		if (v->p >= BLAME_ALPHA) {
			buf_printf(to, " (p %.2g, and %.2g is the limit)", v->p, BLAME_ALPHA);
		}
	} else if (floor <= 0) {
		buf_append_str(to, ", where an engine never differs from itself");
	} else {
		double times = v->by[BLAME_TRIAL].value / floor;
		buf_printf(to, ", %.*f times the noise floor", times < 10 ? 1 : 0, times);
	}
}

/* The cause that explains most of the greedy answers that differ. */
static const struct cause *main_cause(const struct cause_list *l)
{
	const struct cause *most = NULL;
	for (size_t i = 0; i < l->n; i++) {
		const struct cause *c = &l->items[i];
		if (c->greedy_n > 0 && (!most || c->greedy_n > most->greedy_n)) {
			most = c;
		}
	}
	return most;
}

static void put_cause(struct buf *to, const struct cause_list *l)
{
	const struct cause *c = main_cause(l);
	if (!c) {
		buf_append_str(to, "; no cause could be named");
		return;
	}
	buf_printf(to, "; %.0f %% of that is explained by %s",
	        100 * (double)c->greedy_n / (double)c->greedy_of, c->phrase);
}

/* Of sampled answers: what they say and score is a result, with the interval that knows prompts and seeds; that texts
 * differ is none. */
static char *sampled_result(const struct analysis_group *g)
{
	const struct figure_value *values = g->values[DECODING_SAMPLED];
	const struct figure_value *changed = &values[FIGURE_ANSWER_CHANGED],
	                          *shift = &values[FIGURE_SCORE_SHIFT];
	struct buf text = {0};
	put_subject(&text, g);
	buf_append_str(&text, " were sampled: in ");
	put_count(&text, g->by[DECODING_SAMPLED].pairs);
	buf_printf(&text, " pairs over %zu prompts", values[FIGURE_DIFFER].clusters);
	size_t seeds = clusters_count(g->tallies[DECODING_SAMPLED].crossing.seeds);
	if (seeds > 0) {
		buf_printf(&text, " and %zu seeds, the same on both sides,", seeds);
	}
	if (isnan(changed->value)) {
		buf_append_str(&text, " it could not be told whether the meaning changed");
	} else {
		buf_append_str(&text, " the meaning changed in ");
		report_put_share(&text, changed);
	}
	if (!isnan(shift->value)) {
		buf_printf(&text, ", and right answers moved by %+.1f points", shift->value);
		if (!isnan(shift->ci.low)) {
			bool shown = shift->ci.low > 0 || shift->ci.high < 0;
			buf_printf(&text, " [%+.1f to %+.1f]%s", shift->ci.low, shift->ci.high,
			        shown ? "" : ", not shown to be other than 0");
		}
	}
	buf_append_str(&text, "; chance has a part, so that none of this is a verdict.");
	return buf_steal(&text);
}

static char *no_verdict(const struct analysis_group *g)
{
	struct buf text = {0};
	const struct cause *first = g->found.n > 0 ? &g->found.items[0] : NULL;
	char *reason = unjudged_reason(g);
	put_subject(&text, g);
	buf_printf(&text, " can't be judged: %s", reason);
	free(reason);
	if (first && first->n > 0 && first->kind != CAUSE_ERROR) {
		buf_printf(&text, "; of those that differ, %.0f %% are explained by %s",
		        100 * (double)first->n / (double)first->of, first->phrase);
	}
	buf_append_char(&text, '.');
	return buf_steal(&text);
}

char *report_sentence(const struct analysis_group *g)
{
	const struct metrics *m = &g->by[DECODING_GREEDY];
	const struct interval *ci = &g->values[DECODING_GREEDY][FIGURE_DIFFER].ci;
	uint64_t differ = m->pairs - m->equal;
	struct buf text = {0};
	if (m->pairs == 0) {
		return group_has(g, DECODING_SAMPLED) ? sampled_result(g) : no_verdict(g);
	}
	put_subject(&text, g);
	buf_printf(&text, " differ in %.1f %%", 100.0 * (double)differ / (double)m->pairs);
	if (!isnan(ci->low)) {
		buf_printf(&text, " [%.1f-%.1f]", 100 * ci->low, 100 * ci->high);
	}
	buf_append_str(&text, " of ");
	put_count(&text, m->pairs);
	buf_append_str(&text, m->pairs == 1 ? " exchange" : " exchanges");
	if (differ > 0) {
		put_floor(&text, g);
		put_cause(&text, &g->found);
	}
	buf_append_char(&text, '.');
	return buf_steal(&text);
}

static double share_of(const struct analysis_group *g)
{
	const struct metrics *m = &g->by[DECODING_GREEDY];
	return m->pairs ? (double)(m->pairs - m->equal) / (double)m->pairs : -1;
}

char *report_first_of_all(const struct analysis *a)
{
	const struct analysis_group *most = NULL;
	bool trials = analysis_has_trials(a);
	for (size_t i = 0; i < a->n_groups; i++) {
		const struct analysis_group *g = &a->groups[i];
		bool counts = !trials || !g->is_floor;
		if (counts && (!most || share_of(g) > share_of(most))) {
			most = g;
		}
	}
	return most ? report_sentence(most) : NULL;
}

static json_t *text_of(const char *text)
{
	json_t *s = text ? json_string(text) : NULL;
	return s ? s : json_null();
}

static json_t *explained(const struct cause *c)
{
	json_t *o = json_object();
	json_object_set_new(o, "n", json_integer((json_int_t)c->n));
	json_object_set_new(o, "of", json_integer((json_int_t)c->of));
	json_object_set_new(o, "rate", report_number(c->of ? (double)c->n / (double)c->of : NAN));
	json_object_set_new(
	        o, "ci95", c->of ? report_interval(stats_wilson(c->n, c->of)) : json_null());
	return o;
}

static json_t *cause(const struct cause *c)
{
	json_t *o = json_object(), *ids = json_array();
	for (size_t i = 0; i < c->exchanges.n; i++) {
		char id[ID_TEXT_SIZE];
		json_array_append_new(ids, json_string(id_format(c->exchanges.ids[i], id)));
	}
	json_object_set_new(o, "key", json_string(cause_key(c->kind)));
	json_object_set_new(o, "title", json_string(cause_title(c->kind)));
	json_object_set_new(o, "text", text_of(c->text));
	json_object_set_new(o, "side", json_string(cause_side_name(c->side)));
	json_object_set_new(o, "explained", explained(c));
	json_object_set_new(o, "p", report_number(c->p));
	json_object_set_new(o, "exchanges", ids);
	json_object_set_new(o, "fix", text_of(c->fix));
	json_object_set_new(o, "confirm", text_of(c->confirm));
	return o;
}

json_t *report_causes_json(const struct analysis_group *g)
{
	json_t *list = json_array();
	for (size_t i = 0; i < g->found.n; i++) {
		json_array_append_new(list, cause(&g->found.items[i]));
	}
	return list;
}
