#include "analyzer/report/document/document_verdict.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/causes/draws_text.h"
#include "analyzer/report/document/document_parts.h"
#include "analyzer/report/document/document_values.h"
#include "analyzer/report/groups.h"
#include "base/mem.h"
#include "base/plural.h"

static const struct {
	const char *name, *label;
} FIGURES[N_VERDICT_FIGURES] = {
        [VERDICT_DIFFER] = {"differ", "answers that differ"},
        [VERDICT_ANSWER_CHANGED] = {"answer_changed", "answers whose meaning changed"},
        [VERDICT_FIRST_DIFFERENCES] = {"hazard", "first differences per 1,000 tokens"},
        [VERDICT_K3] = {"k3", "k3 of scored tokens, nats per token"},
        [VERDICT_SCORED_TOP] = {"teacher_forced.same_top", "scored tokens the scorer ranks first"},
};

static json_t *figure_json(const struct verdict_figure *f, enum verdict_figure_kind kind)
{
	json_t *o = document_figure_value(&f->value), *over = document_figure_value(&f->over);
	json_object_del(over, "n");
	node_set_text(o, "name", FIGURES[kind].name);
	node_set_text(o, "label", FIGURES[kind].label);
	node_set_number(o, "floor", f->floor);
	node_set_text(o, "floor_is", verdict_floor_name(f->from));
	json_object_set_new(o, "over_floor", over);
	node_set_number(o, "least_effect", f->least_effect);
	return o;
}

json_t *document_floor(const struct verdict_figure *f)
{
	json_t *o = figure_json(f, VERDICT_DIFFER);
	node_set_text(o, "label", "pairs of answers to one prompt that differ");
	return o;
}

static void add_figures(json_t *list, const struct verdict *v, enum verdict_figure_kind from,
        enum verdict_figure_kind end)
{
	for (size_t i = from; i < end; i++) {
		json_array_append_new(
		        list, figure_json(&v->figures[i], (enum verdict_figure_kind)i));
	}
}

/* Writes the figures of greedy answers, unless scored tokens alone decide, and then those of
 * scored tokens. */
static json_t *figures_json(const struct verdict *v)
{
	json_t *list = json_array();
	if (verdict_has(v, VERDICT_DIFFER) || !verdict_has(v, VERDICT_K3)) {
		add_figures(list, v, VERDICT_DIFFER, VERDICT_K3);
	}
	if (verdict_has(v, VERDICT_K3)) {
		add_figures(list, v, VERDICT_K3, N_VERDICT_FIGURES);
	}
	return list;
}

void document_add_step(json_t *list, char *text, char *command)
{
	json_t *o = json_object();
	node_set_text(o, "text", text);
	node_set_text(o, "command", command);
	json_array_append_new(list, o);
	free(text);
	free(command);
}

static void add_floor_step(json_t *list, const struct analysis_group *g)
{
	const struct advice_engine *base = &g->causes.of[SIDE_BASE].engine,
	                           *test = &g->causes.of[SIDE_TEST].engine;
	char *command = advice_replay(g->place, base, test, true, true, "--repeats 2");
	bool is_one = strcmp(g->base, g->test) == 0, both = !base->has_again && !test->has_again;
	const struct advice_engine *left = base->has_again ? test : base;
	char *send = both && !is_one ? xstrdup("send the requests to each backend twice")
	                             : xasprintf("send the requests to %s twice", left->name);
	const char *how = !command ? "record a second reference with the URL of either backend"
	                  : base->has_again && test->has_again
	                          ? "compare the answers that were recorded later"
	                          : send;
	document_add_step(list,
	        xasprintf("To measure the noise floor, %s%s", how, command ? ":" : "."), command);
	free(send);
}

/* Adds a step that asks for so many times as many prompts. Takes ownership of text, which has no
 * end. */
static void add_more_step(json_t *next, char *text, double times, const struct advice_place *place)
{
	char *command = advice_more_prompts(place, times);
	const char *end = !command ? "." : place->limit > 0 ? ":" : ". Suites to add:";
	document_add_step(next, xasprintf("%s%s", text, end), command);
	free(text);
}

/* The step that asks for more answers and says how many decide. Answers to one prompt or of one
 * session carry less information than unrelated ones. */
static void add_answers_step(json_t *list, const struct analysis_group *g, const struct verdict *v)
{
	const struct verdict_figure *f = &v->figures[v->decided_by];
	const char *what = v->decided_by == VERDICT_K3 ? "score" : "record";
	const char *kind = v->decided_by == VERDICT_K3 ? "" : "greedy ";
	double clusters = (double)f->value.clusters, answers = f->answers;
	char *text = NULL;
	if (v->needed <= VERDICT_NEEDED_MOST && clusters > 0 && clusters < answers) {
		text = xasprintf("To decide, %s about %.0f %sanswers from %.0f prompts or "
		                 "sessions; there are %.0f from %.0f",
		        what, document_rounded(v->needed), kind,
		        document_rounded(v->needed * clusters / answers), answers, clusters);
	} else if (v->needed <= VERDICT_NEEDED_MOST) {
		text = xasprintf(
		        "To decide, %s about %.0f %sanswers to different prompts; there are %.0f",
		        what, document_rounded(v->needed), kind, answers);
	} else if (v->word == VERDICT_UNCLEAR && f->value.n > 0 && isnan(f->over.ci.low)) {
		text = xasprintf("To get a verdict, %s %sanswers to more prompts", what, kind);
	}
	if (text) {
		double needed = document_rounded(v->needed);
		add_more_step(list, text, needed > 0 ? needed / answers : 2, g->place);
	}
}

/* The step for sampled answers without scores: score them. */
static void add_score_step(json_t *list, const struct analysis_group *g, bool is_open)
{
	char *command = advice_score(g->place, group_base_engine(g), group_test_engine(g), true);
	const char *how =
	        command ? "score the tokens of one side with the other:"
	                : "score the answers with an engine that gives logprobs of a given text "
	                  "(docs/score.md), or record requests with temperature 0.";
	const char *why = is_open ? "get a verdict" : "compare the probabilities of both engines";
	document_add_step(list, xasprintf("To %s, %s", why, how), command);
}

static void add_score_floor_step(json_t *list, const struct analysis_group *g)
{
	char *command = advice_score_itself(
	        g->place, group_base_engine(g), group_test_engine(g), g->legs > 0);
	document_add_step(list,
	        xasprintf("To measure the noise floor of k3, have %s score its own answers%s",
	                g->base, command ? ":" : "."),
	        command);
}

void document_add_record_step(json_t *next, const char *backend)
{
	document_add_step(next,
	        xasprintf("To get a verdict, have %s return the model's own logprobs, or request "
	                  "temperature 1, without top_p, top_k, min_p and penalties. Then record "
	                  "again, and score the answers (docs/sampled.md). If %s returns them "
	                  "already, say so in the proxy's file (stack: {decoding.logprobs: raw}).",
	                backend, backend),
	        NULL);
}

/* The step that gives a verdict, or supports it, where no figure decides. */
static void add_deciding_step(json_t *list, const struct analysis_group *g, bool is_open)
{
	bool countable = g->scores.processed == 0 && draws_may_be_scored(g->draws, g->test);
	if (!countable && is_open) {
		document_add_record_step(list, g->test);
	} else if (countable &&
	           (group_has(g, DECODING_SAMPLED) || group_has(g, DECODING_UNKNOWN))) {
		add_score_step(list, g, is_open);
	} else if (is_open && group_has(g, DECODING_UNLIKE) &&
	           !cause_list_get(&g->found, CAUSE_UNLIKE)) {
		document_add_step(list,
		        xstrdup("To get a verdict, replay the requests with --align same."), NULL);
	}
}

/* The steps that supply what the deciding figures lack. */
static void add_missing_steps(json_t *list, const struct analysis_group *g, const struct verdict *v)
{
	const struct verdict_figure *differ = &v->figures[VERDICT_DIFFER];
	const struct verdict_figure *k3 = &v->figures[VERDICT_K3];
	bool scored = verdict_has(v, VERDICT_K3), floors = !g->is_floor && v->word != VERDICT_SAME;
	if (differ->value.n > 0 && floors && excess_ground(&g->excess) != EXCESS_GROUND_BOTH) {
		add_floor_step(list, g);
	}
	if (scored && floors && !v->proven && k3->from == VERDICT_FLOOR_UNKNOWN) {
		add_score_floor_step(list, g);
	}
	if (!scored && differ->value.n == 0) {
		add_deciding_step(list, g, v->word == VERDICT_UNCLEAR);
	}
}

void document_add_prompts_step(
        json_t *next, double prompts, uint64_t n, const struct advice_place *place)
{
	double rounded = document_rounded(prompts);
	if (!isnan(prompts)) {
		add_more_step(next,
		        xasprintf("To decide, send about %.0f prompts; these were %" PRIu64,
		                rounded, n),
		        rounded / (double)n, place);
	}
}

void document_add_remedy_step(json_t *list, const json_t *cause)
{
	const char *remedy = node_text(cause, "fix");
	if (*remedy) {
		document_add_step(list, xasprintf("To remove the cause: %s.", remedy), NULL);
	}
}

void document_add_cause_steps(json_t *list, const json_t *cause)
{
	const char *confirm = node_text(cause, "confirm");
	document_add_remedy_step(list, cause);
	if (*confirm) {
		document_add_step(list, xstrdup("To confirm the cause:"), xstrdup(confirm));
	}
}

void document_add_widest_step(json_t *next, const struct analysis_group *g)
{
	if (g->widest.known) {
		document_add_step(next,
		        xstrdup("To see the two answers with the largest difference:"),
		        advice_show(g->place, g->widest.exchange));
	}
}

static json_t *next_json(
        const struct analysis_group *g, const struct verdict *v, const json_t *cause)
{
	json_t *list = json_array();
	bool is_open = v->word == VERDICT_UNCLEAR;
	if (is_open) {
		add_answers_step(list, g, v);
		add_missing_steps(list, g, v);
	}
	document_add_cause_steps(list, cause);
	if (!is_open) {
		add_missing_steps(list, g, v);
	}
	if (!g->is_floor && g->causes.counts.ungraded > 0) {
		document_add_step(list,
		        xstrdup("To count programs and mathematical values as right or wrong, "
		                "grade them:"),
		        advice_grade(g->place));
	}
	document_add_widest_step(list, g);
	return list;
}

static json_t *verdict_json(const struct analysis_group *g, const struct verdict *v)
{
	json_t *o = json_object();
	char *sentence = document_sentence(g, v);
	node_set_text(o, "word", verdict_word_name(v->word));
	node_set_text(o, "sentence", sentence);
	node_set_text(o, "base", g->base);
	node_set_text(o, "test", g->test);
	json_object_set_new(o, "proven_by",
	        v->proven ? json_string(cause_words(v->proven->kind)->key) : json_null());
	node_set_number(o, "n_needed", v->needed);
	free(sentence);
	return o;
}

void document_verdict_of_group(json_t *o, const struct analysis_group *g)
{
	struct verdict v;
	verdict_of_group(g, &v);
	const struct cause *main = document_main_cause(g, &v);
	json_t *cause = main ? document_cause(main) : json_null();
	json_object_set_new(o, "verdict", verdict_json(g, &v));
	json_object_set_new(o, "figures", figures_json(&v));
	json_object_set_new(o, "k3", document_k3(&v.figures[VERDICT_K3]));
	json_object_set_new(o, "cause", cause);
	json_object_set_new(o, "limits", document_limits(g, &v, main));
	json_object_set_new(o, "next", next_json(g, &v, cause));
}

static int rank(const json_t *group)
{
	const json_t *word = json_object_get(json_object_get(group, "verdict"), "word");
	return strcmp(json_string_value(word), verdict_word_name(VERDICT_DIFFERENT)) == 0 ? 2
	       : strcmp(json_string_value(word), verdict_word_name(VERDICT_UNCLEAR)) == 0 ? 1
	                                                                                  : 0;
}

/* The value of the group's leading figure. */
static double leading_value(const json_t *group)
{
	const json_t *first = json_array_get(json_object_get(group, "figures"), 0);
	const json_t *value = json_object_get(first, "value");
	return json_is_number(value) ? json_number_value(value) : -1;
}

/* Returns the group with the worst verdict, leaving out unscored repeats; among several, the one
 * with the largest leading figure. */
static const json_t *deciding(const json_t *groups, bool trials)
{
	const json_t *found = NULL;
	NODE_EACH(g, groups) {
		if (trials && (groups_is_floor(g) || groups_is_unscored_repeat(groups, g))) {
			continue;
		}
		int more = found ? rank(g) - rank(found) : 1;
		if (more > 0 || (more == 0 && leading_value(g) > leading_value(found))) {
			found = g;
		}
	}
	return found;
}

void document_set_verdict(json_t *document, enum verdict_word word, char *sentence)
{
	json_t *o = json_object();
	node_set_text(o, "word", verdict_word_name(word));
	node_set_text(o, "sentence", sentence);
	json_object_set_new(document, "verdict", o);
	free(sentence);
}

void document_set_cause(json_t *document, const struct cause *c)
{
	json_object_set_new(document, "cause", c ? document_cause(c) : json_null());
}

/* Takes over text. */
static void add_limit(json_t *document, const char *key, char *text)
{
	json_array_append_new(json_object_get(document, "limits"), document_limit(key, text));
}

/* Figures over two stacks describe neither of them. */
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
		        xasprintf("the stack of %s changed within this capture" TITLE_END
		                  " (%zu stacks)",
		                backend, n));
		if (a->by == SLICE_NONE && a->n_groups > 0) {
			document_add_step(json_object_get(document, "next"),
			        xasprintf("To compare each stack of %s by itself:", backend),
			        advice_stacks(a->groups[0].place));
		}
	}
}

static void add_scores(json_t *document, const struct analysis *a)
{
	if (a->orphan_scores > 0) {
		add_limit(document, "orphan_scores",
		        xasprintf("%" PRIu64 " %s no answer in this capture", a->orphan_scores,
		                plural(a->orphan_scores, "score has", "scores have")));
	}
	if (a->ungrouped_scores > 0) {
		add_limit(document, "ungrouped_scores",
		        xasprintf("%" PRIu64 " %s left out" TITLE_END
		                  ", because there are too many backends",
		                a->ungrouped_scores,
		                plural(a->ungrouped_scores, "score is", "scores are")));
	}
}

/* For a capture in which no two answers are compared: states what an engine's own draws prove.
 * Returns NULL if they prove nothing; the caller frees it. */
static char *proven_by_draws(const struct draws *d)
{
	for (size_t i = 0; i < d->n_groups; i++) {
		for (size_t f = 0; f < N_DRAWS_FINDINGS; f++) {
			const struct draws_group *g = &d->groups[i];
			if (draws_finding_is_there(g, (enum draws_finding)f)) {
				struct buf text = {0};
				buf_printf(
				        &text, "No two engines were compared, but %s", g->backend);
				draws_text_put_replicas(&text, d, g, (enum draws_finding)f);
				buf_append_char(&text, ' ');
				draws_text_put(&text, g, (enum draws_finding)f);
				buf_append_char(&text, '.');
				return buf_steal(&text);
			}
		}
	}
	return NULL;
}

/* Answers were scored, but no score can be compared. */
static char *why_scores_decide_nothing(json_t *next, const struct analysis *a)
{
	const struct analysis_group *g = &a->groups[0];
	if (g->scores.without < g->scores.legs) {
		return xstrdup("Answers were scored, but no token has a logprob of both engines.");
	}
	document_add_step(next,
	        xasprintf("To get a verdict, let the proxy ask %s for logprobs (logprobs.inject: "
	                  "both), or send logprobs: true with each request.",
	                g->test),
	        NULL);
	return xasprintf(
	        "Answers were scored, but those of %s state no logprobs to compare with.", g->test);
}

static void set_verdict_without_groups(json_t *o, const struct analysis *a)
{
	char *proven = proven_by_draws(&a->draws);
	char *sentence = proven ? proven
	                 : a->n_groups > 0
	                         ? why_scores_decide_nothing(json_object_get(o, "next"), a)
	                         : xstrdup("No exchange has two answers to compare.");
	document_set_verdict(o, proven ? VERDICT_DIFFERENT : VERDICT_UNCLEAR, sentence);
	json_object_set_new(o, "cause", json_null());
}

/* The step that looks for the cause of a difference for which none was found. */
static void add_search_step(json_t *document, const struct analysis *a)
{
	const json_t *verdict = json_object_get(document, "verdict");
	const char *test = node_text(verdict, "test");
	const struct analysis_group *g = analysis_find_group(a, node_text(verdict, "base"), test),
	                            *own = analysis_find_group(a, test, test);
	if (!g || g->is_floor || json_is_object(json_object_get(document, "cause")) ||
	        strcmp(groups_verdict(document), "DIFFERENT") != 0) {
		return;
	}
	const struct advice_engine *base = group_base_engine(g), *tested = group_test_engine(g);
	bool is_asked = g->scores.legs == 0 || (own && own->scores.legs > 0);
	char *command = is_asked ? NULL : advice_score_itself(g->place, tested, tested, true);
	char *text =
	        command ? xasprintf("To see whether %s agrees with its own scores (if not, the "
	                            "fault is in its decoding and not in its model), have it "
	                            "score its own answers:",
	                          test)
	                : NULL;
	command = command ? command : advice_probes(g->place, base, tested);
	text = text      ? text
	       : command ? xstrdup("To look for the cause, probe the engines:")
	                 : xstrdup("To look for the cause, compare the model files, quantisation, "
	                           "chat templates and versions of both engines.");
	document_add_step(json_object_get(document, "next"), text, command);
}

void document_verdict_of_document(json_t *o, const json_t *groups, const struct analysis *a)
{
	static const char *const PARTS[] = {"verdict", "figures", "cause", "limits", "next"};
	const json_t *g = deciding(groups, analysis_has_trials(a));
	for (size_t i = 0; i < ARRAY_LEN(PARTS); i++) {
		json_t *part = json_deep_copy(json_object_get(g, PARTS[i]));
		json_object_set_new(o, PARTS[i], part ? part : json_array());
	}
	if (!g) {
		set_verdict_without_groups(o, a);
	}
	add_search_step(o, a);
	add_stacks(o, a);
	add_scores(o, a);
}
