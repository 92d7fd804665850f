#include "analyzer/report/document_verdict.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/report/document_parts.h"
#include "analyzer/report/document_sentence.h"
#include "analyzer/report/document_values.h"
#include "base/mem.h"

static const struct {
	const char *name, *label;
} FIGURES[N_VERDICT_FIGURES] = {
        [VERDICT_DIFFER] = {"differ", "answers that differ"},
        [VERDICT_ANSWER_CHANGED] = {"answer_changed", "answers whose meaning changed"},
        [VERDICT_FIRST_DIFFERENCES] = {"hazard", "first differences per 1,000 tokens"},
};

static json_t *figure_json(const struct verdict_figure *f, enum verdict_figure_kind kind)
{
	json_t *o = report_figure_value(&f->value), *over = report_figure_value(&f->over);
	json_object_del(over, "n");
	json_object_set_new(o, "name", json_string(FIGURES[kind].name));
	json_object_set_new(o, "label", json_string(FIGURES[kind].label));
	json_object_set_new(o, "floor", report_number(f->floor));
	json_object_set_new(o, "floor_is", json_string(verdict_floor_name(f->from)));
	json_object_set_new(o, "over_floor", over);
	json_object_set_new(o, "least_effect", json_real(f->least_effect));
	return o;
}

/* Takes over text and command. */
static void add_step(json_t *list, char *text, char *command)
{
	json_t *o = json_object();
	json_object_set_new(o, "text", document_text(text));
	json_object_set_new(o, "command", document_text(command));
	json_array_append_new(list, o);
	free(text);
	free(command);
}

static char *copy(const char *text)
{
	return text ? xstrdup(text) : NULL;
}

static void add_floor_step(json_t *list, const struct analysis_group *g)
{
	const struct causes *c = &g->causes;
	char *command = advice_replay(
	        g->place, &c->base_engine, &c->test_engine, true, true, "--repeats 2");
	const char *how = command ? "send the requests to each backend twice"
	                          : "record a second reference with the URL of either backend";
	add_step(list, xasprintf("To measure the noise floor, %s%s", how, command ? ":" : "."),
	        command);
}

/* How many answers decide. Answers to one prompt, or of one session, tell less than as many others. */
static void add_answers_step(json_t *list, const struct verdict *v)
{
	const struct verdict_figure *f = &v->figures[VERDICT_DIFFER];
	const struct figure_value *value = &f->value;
	double clusters = (double)value->clusters;
	char *text = NULL;
	if (!isnan(v->needed) && clusters > 0 && clusters < value->n) {
		text = xasprintf("To decide, record about %.0f greedy answers, to %.0f prompts or "
		                 "of as many sessions; there are %.0f, to %.0f.",
		        document_rounded(v->needed),
		        document_rounded(v->needed * clusters / value->n), value->n, clusters);
	} else if (!isnan(v->needed)) {
		text = xasprintf("To decide, record about %.0f greedy answers to different "
		                 "prompts; there are %.0f.",
		        document_rounded(v->needed), value->n);
	} else if (v->word == VERDICT_UNCLEAR && value->n > 0 && isnan(f->over.ci.low)) {
		text = xstrdup("To get a verdict, record greedy answers to more prompts.");
	}
	if (text) {
		add_step(list, text, NULL);
	}
}

static json_t *next_json(
        const struct analysis_group *g, const struct verdict *v, const struct cause *cause)
{
	const struct verdict_figure *f = &v->figures[VERDICT_DIFFER];
	json_t *list = json_array();
	if (cause && cause->kind != CAUSE_TIE) { /* nothing removes rounding */
		add_step(list, xasprintf("To remove the cause: %s.", cause->fix), NULL);
	}
	if (cause && cause->confirm) {
		add_step(list, xstrdup("To confirm the cause:"), copy(cause->confirm));
	}
	if (f->value.n == 0) {
		add_step(list, xstrdup("To get a verdict, record requests with temperature 0."),
		        NULL);
	} else if (!g->is_floor && excess_ground(&g->excess) != EXCESS_GROUND_BOTH &&
	           v->word != VERDICT_SAME) {
		add_floor_step(list, g);
	}
	add_answers_step(list, v);
	if (!g->is_floor && g->evidence.ungraded > 0) {
		add_step(list, xstrdup("To count programs as right or wrong, run their tests."),
		        advice_grade(g->place));
	}
	if (g->widest.known) {
		add_step(list, xstrdup("To see both answers of the widest difference:"),
		        advice_show(g->place, g->widest.exchange));
	}
	return list;
}

static json_t *verdict_json(const struct analysis_group *g, const struct verdict *v)
{
	json_t *o = json_object();
	char *sentence = document_sentence(g, v);
	json_object_set_new(o, "word", json_string(verdict_word_name(v->word)));
	json_object_set_new(o, "sentence", document_text(sentence));
	json_object_set_new(o, "base", document_text(g->base));
	json_object_set_new(o, "test", document_text(g->test));
	json_object_set_new(o, "proven_by",
	        v->proven ? json_string(cause_words(v->proven->kind)->key) : json_null());
	json_object_set_new(o, "n_needed", report_number(v->needed));
	free(sentence);
	return o;
}

void report_verdict_of_group(json_t *o, const struct analysis_group *g)
{
	struct verdict v;
	json_t *figures = json_array();
	verdict_of_group(g, &v);
	const struct cause *cause = v.proven ? v.proven : document_main_cause(g);
	for (size_t i = 0; i < N_VERDICT_FIGURES; i++) {
		json_array_append_new(
		        figures, figure_json(&v.figures[i], (enum verdict_figure_kind)i));
	}
	json_object_set_new(o, "verdict", verdict_json(g, &v));
	json_object_set_new(o, "figures", figures);
	json_object_set_new(o, "cause", cause ? report_cause_json(cause) : json_null());
	json_object_set_new(o, "limits", report_limits_json(g, &v));
	json_object_set_new(o, "next", next_json(g, &v, cause));
}

static int rank(const json_t *group)
{
	const json_t *word = json_object_get(json_object_get(group, "verdict"), "word");
	return strcmp(json_string_value(word), verdict_word_name(VERDICT_DIFFERENT)) == 0 ? 2
	       : strcmp(json_string_value(word), verdict_word_name(VERDICT_UNCLEAR)) == 0 ? 1
	                                                                                  : 0;
}

static double share(const json_t *group)
{
	const json_t *first = json_array_get(json_object_get(group, "figures"), VERDICT_DIFFER);
	const json_t *value = json_object_get(first, "value");
	return json_is_number(value) ? json_number_value(value) : -1;
}

/* The worst verdict, and of these the largest share. */
static const json_t *deciding(const json_t *groups, bool trials)
{
	const json_t *found = NULL;
	for (size_t i = 0; i < json_array_size(groups); i++) {
		const json_t *g = json_array_get(groups, i);
		if (trials && json_is_true(json_object_get(g, "is_floor"))) {
			continue;
		}
		int more = found ? rank(g) - rank(found) : 1;
		if (more > 0 || (more == 0 && share(g) > share(found))) {
			found = g;
		}
	}
	return found;
}

void report_set_verdict(json_t *document, enum verdict_word word, char *sentence)
{
	json_t *o = json_object();
	json_object_set_new(o, "word", json_string(verdict_word_name(word)));
	json_object_set_new(o, "sentence", document_text(sentence));
	json_object_set_new(document, "verdict", o);
	free(sentence);
}

/* Takes over text. */
static void add_limit(json_t *document, const char *key, char *text)
{
	json_t *o = json_object();
	json_object_set_new(o, "key", json_string(key));
	json_object_set_new(o, "text", document_full_sentence(text));
	json_array_append_new(json_object_get(document, "limits"), o);
}

/* Figures over two stacks are of neither. */
static void add_stacks(json_t *document, const struct analysis *a)
{
	size_t n;
	for (size_t i = 0; i < a->stacks.n; i += n) {
		const char *backend = a->stacks.items[i].backend;
		n = stacks_of_backend(&a->stacks, i);
		if (n < 2) {
			continue;
		}
		add_limit(document, "stacks",
		        xasprintf("the stack of %s changed within this capture (%zu stacks)",
		                backend, n));
		if (a->by == SLICE_NONE && a->n_groups > 0) {
			add_step(json_object_get(document, "next"),
			        xasprintf("To compare each stack of %s by itself:", backend),
			        advice_stacks(a->groups[0].place));
		}
	}
}

static void add_scores(json_t *document, const struct forced *f)
{
	if (f->orphans > 0) {
		add_limit(document, "orphan_scores",
		        xasprintf("%" PRIu64 " scores are of answers that are not in this capture",
		                f->orphans));
	}
	if (f->ungrouped > 0) {
		add_limit(document, "ungrouped_scores",
		        xasprintf("%" PRIu64 " scores are of too many backends", f->ungrouped));
	}
}

void report_verdict_of_document(json_t *o, const json_t *groups, const struct analysis *a)
{
	static const char *const PARTS[] = {"verdict", "figures", "cause", "limits", "next"};
	const json_t *g = deciding(groups, analysis_has_trials(a));
	for (size_t i = 0; i < ARRAY_LEN(PARTS); i++) {
		json_t *part = json_deep_copy(json_object_get(g, PARTS[i]));
		json_object_set_new(o, PARTS[i], part ? part : json_array());
	}
	if (!g) {
		report_set_verdict(o, VERDICT_UNCLEAR,
		        xstrdup(a->forced.n_groups > 0
		                        ? "Answers were scored, but no two were compared."
		                        : "No exchange has two answers to compare."));
		json_object_set_new(o, "cause", json_null());
	}
	add_stacks(o, a);
	add_scores(o, &a->forced);
}
