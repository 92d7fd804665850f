/*
 * plumbline ablate - which switch causes a difference?
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/report/document/document_recipes.h"
#include "analyzer/report/document/document_verdict.h"
#include "base/conf.h"
#include "base/mem.h"
#include "base/plural.h"
#include "cli/commands.h"
#include "cli/verb.h"
#include "cli/recipes/recipe.h"
#include "analyzer/report/ablation_sentence.h"

_Static_assert((1u << ABLATION_FACTORS) <= 2 * CAMPAIGN_TARGETS, "cells of two levels");

/* A target with one setting of the switches. Concurrency is no part of it: its settings are
 * levels. */
struct setting {
	uint32_t cell;
	bool cold, warm;
};

struct ablate {
	struct recipe recipe;
	bool cache, pin;
	const char *flags;
	/* as the user gave it; cold_json NULL: each request gets a text of its own */
	char *cold, *cold_json;
	struct document_factor factors[ABLATION_FACTORS];
	/* of labels, cut to pieces; names of targets; and their own */
	char *words[4 * CAMPAIGN_TARGETS];
	size_t n_factors, n_words, n_flags;
	struct setting settings[CAMPAIGN_TARGETS]; /* by target */
	struct ablation_result result;
};

static char *read_cold(void *to, const char *name, const char *value)
{
	struct ablate *a = to;
	free(a->cold);
	a->cold = xstrdup(value);
	char *is = strchr(a->cold, '=');
	if (is) {
		*is = '\0';
		a->cold_json = is + 1;
	}
	bool good = *a->cold && (!is || recipe_target_is_value(is + 1));
	return good ? NULL : xasprintf("--%s needs MEMBER or MEMBER=JSON, not %.60s", name, value);
}

static const struct option_row OPTIONS[] = {
        RECIPE_OPERANDS,
        OPT_GROUP("switches (two numbers of --concurrency are a switch, too):"),
        {"cache", 0, NULL, "the prefix cache: cold or warm", OPT_BOOL(struct ablate, cache)},
        {"pin", 0, NULL, "sampling parameters: --align greedy, or as they are",
                OPT_BOOL(struct ablate, pin)},
        {"flags", 0, "NAME,...",
                "settings of the engines. Give a target for each combination; its label has the "
                "settings with + between: eager+bf16=URL eager+fp8=URL graph+bf16=URL "
                "graph+fp8=URL",
                OPT_TEXT(struct ablate, flags)},
        {"cold", 0, "MEMBER[=JSON]",
                "keep requests out of the cache with this member, if plumbline does not know the "
                "engine's own; without JSON, a new text for each pass",
                OPT_CALL_ALL(read_cold)},
        OPT_GROUP("targets:"),
        OPT_INCLUDE(RECIPE_OPTIONS, struct ablate, recipe),
        OPT_INCLUDE(RECIPE_BORROWED_OPTIONS, struct ablate, recipe),
        OPT_END,
};

static const struct recipe_verb VERB = {
        .verb = {.name = "ablate",
                .usage = "SUITE... TARGET --concurrency 1,N [--cache] [options]\n"
                         "SUITE... TARGET TARGET... --flags NAME,... [options]",
                .about = "Sends the same requests under every combination of some switches, and "
                         "says which switch makes the answers differ, alone or only together with "
                         "another.\n\nEach request is sent several times (--repeats 3 "
                         "--concurrency 4), with greedy decoding. An effect counts only beyond the "
                         "noise floors of both settings; Holm's method keeps the chance of a false "
                         "finding below 1 %. The same command resumes an interrupted run.",
                .options = OPTIONS,
                .examples = "plumbline ablate determinism http://127.0.0.1:8000 \\\n"
                            "    --concurrency 1,16 --cache --pin\n"
                            "plumbline ablate reasoning eager=http://127.0.0.1:8000 \\\n"
                            "    graph=http://127.0.0.1:8001 --flags graphs --concurrency 1,32 \\\n"
                            "    --out ablation.html",
                .exit_codes = "0 no switch causes a difference, 1 one does, 4 UNCLEAR, or nothing "
                              "to send; " RECIPE_ERROR_CODES},
        .least = 1,
        .most = CAMPAIGN_TARGETS,
        .repeats = 3,
};

static char *add_factor(struct ablate *a, const char *name, const char *off, const char *on)
{
	if (a->n_factors == ABLATION_FACTORS) {
		return xasprintf("more than %d switches", ABLATION_FACTORS);
	}
	for (size_t i = 0; i < a->n_factors; i++) {
		if (strcmp(a->factors[i].name, name) == 0) {
			return xasprintf("two switches have the name %.60s", name);
		}
	}
	a->factors[a->n_factors++] = (struct document_factor){name, off, on};
	return NULL;
}

static char *keep(struct ablate *a, char *text)
{
	expect(a->n_words < ARRAY_LEN(a->words));
	return a->words[a->n_words++] = text;
}

static const char *label_of(const struct recipe *r, size_t target)
{
	const char *name = r->targets[target].backend.name;
	return name ? name : "";
}

/* The settings of the first target count as off. */
static char *take_flags(struct ablate *a)
{
	const char *names[ABLATION_FACTORS], *settings[ABLATION_FACTORS] = {0};
	const struct recipe *r = &a->recipe;
	size_t n_names = 0, n_settings = 0;
	char *rest = keep(a, xstrdup(a->flags)), *problem = NULL;
	for (char *p; !problem && (p = conf_next_word(&rest));) {
		problem = *p == '\0' ? xstrdup("--flags has an empty name between two commas")
		          : n_names == ABLATION_FACTORS
		                  ? xasprintf("more than %d switches", ABLATION_FACTORS)
		                  : NULL;
		if (!problem) {
			names[n_names++] = p;
		}
	}
	char *label = keep(a, xstrdup(label_of(r, 0)));
	for (char *p = strtok_r(label, "+", &rest); p && n_settings < ABLATION_FACTORS;
	        p = strtok_r(NULL, "+", &rest)) {
		settings[n_settings++] = p;
	}
	if (!problem && (n_names != n_settings || r->n_targets != (size_t)1 << n_names)) {
		problem = xasprintf(
		        "--flags names %zu switch%s, which needs %d targets, each labelled with %s",
		        n_names, plural(n_names, "", "es"), 1 << n_names,
		        plural(n_names, "its setting", "all settings (a+b)"));
	}
	a->n_flags = n_names;
	for (size_t i = 0; i < n_names && !problem; i++) {
		problem = add_factor(a, names[i], settings[i], NULL);
	}
	return problem;
}

/* Reads from a target's label which switches of its engine are on. */
static char *read_label(struct ablate *a, size_t target, uint32_t *ret)
{
	struct document_factor *flags = &a->factors[a->n_factors - a->n_flags];
	char *label = keep(a, xstrdup(label_of(&a->recipe, target))), *rest = NULL;
	size_t n = 0;
	*ret = 0;
	for (char *p = strtok_r(label, "+", &rest); p; p = strtok_r(NULL, "+", &rest), n++) {
		struct document_factor *f = n < a->n_flags ? &flags[n] : NULL;
		if (!f) {
			break;
		}
		bool off = strcmp(p, f->off) == 0;
		f->on = off || f->on ? f->on : p;
		if (!off && strcmp(p, f->on) != 0) {
			return xasprintf(
			        "the switch %.60s has more than two settings: %.60s, %.60s, %.60s",
			        f->name, f->off, f->on, p);
		}
		*ret |= (uint32_t)!off << n;
	}
	return n == a->n_flags ? NULL
	                       : xasprintf("the label %.100s needs %zu settings",
	                                 label_of(&a->recipe, target), a->n_flags);
}

static char *read_labels(struct ablate *a, uint32_t bits[CAMPAIGN_TARGETS])
{
	char *problem = NULL;
	uint64_t seen = 0;
	for (size_t i = 0; i < a->recipe.n_targets && !problem; i++) {
		problem = read_label(a, i, &bits[i]);
		if (!problem && seen >> bits[i] & 1) {
			problem = xasprintf(
			        "two targets have the settings %.100s", label_of(&a->recipe, i));
		}
		seen |= UINT64_C(1) << bits[i];
	}
	return problem;
}

/* The order of the factors: concurrency first, the engines' own switches last. */
static char *settle_factors(struct ablate *a)
{
	struct recipe *r = &a->recipe;
	char *problem = NULL;
	if (r->n_levels > 2) {
		return xstrdup("ablate needs two numbers for --concurrency: off and on");
	}
	if (r->n_levels == 2) {
		char *off = keep(a, xasprintf("%u", r->levels[0]));
		char *on = keep(a, xasprintf("%u", r->levels[1]));
		problem = add_factor(a, "concurrency", off, on);
	}
	if (!problem && a->cache) {
		problem = add_factor(a, "cache", "cold", "warm");
	}
	if (!problem && a->pin) {
		problem = add_factor(a, "parameters", "pinned", "unpinned");
	}
	if (!problem && a->flags) {
		problem = take_flags(a);
	} else if (!problem && r->n_targets > 1) {
		problem = xstrdup("several targets need --flags, which names their switches");
	}
	return problem || a->n_factors ? problem
	                               : xstrdup("no switch is given: add --concurrency 1,N, "
	                                         "--cache, --pin or --flags");
}

static char *check(const struct ablate *a)
{
	const struct recipe *r = &a->recipe;
	if (r->options.repeats < 2 || r->options.repeats > ABLATION_REPEATS) {
		return xasprintf("ablate needs --repeats from 2 to %d: without repeats there is no "
		                 "noise floor",
		        ABLATION_REPEATS);
	}
	return a->pin && options_given(&r->line, "align")
	               ? xstrdup("--pin excludes --align, which it sets itself")
	               : NULL;
}

/* Replaces each target by one for each setting of cache and parameters. In the first of them all
 * is off. */
static char *expand(struct ablate *a)
{
	struct recipe *r = &a->recipe;
	struct campaign_target targets[CAMPAIGN_TARGETS];
	uint32_t bits[CAMPAIGN_TARGETS] = {0};
	size_t n = r->n_targets, of_each = (size_t)1 << (a->cache + a->pin);
	char *problem = a->n_flags ? read_labels(a, bits) : NULL;
	if (problem) {
		return problem;
	}
	if (n * of_each > CAMPAIGN_TARGETS) {
		return xasprintf("more than %d combinations of switches beside --concurrency",
		        CAMPAIGN_TARGETS);
	}
	memcpy(targets, r->targets, n * sizeof(*targets));
	for (size_t i = 0; i < n; i++) {
		keep(a, r->words[i].text); /* several targets point into it now */
		r->words[i].text = NULL;
	}
	size_t level = r->n_levels == 2;
	for (size_t i = n * of_each; i-- > 0;) {
		size_t from = i / of_each, at = i % of_each;
		bool warm = a->cache && at & 1, unpinned = a->pin && at >> a->cache & 1;
		struct campaign_target *to = &r->targets[i];
		*to = targets[from];
		const char *label = to->backend.name ? to->backend.name : "engine";
		to->backend.name =
		        keep(a, xasprintf("%s%s%s", label, a->cache ? warm ? "/warm" : "/cold" : "",
		                        a->pin ? unpinned ? "/unpinned" : "/pinned" : ""));
		to->backend.align = unpinned ? ALIGN_NONE : to->backend.align;
		r->words[i] = r->words[from];
		size_t flags = level + a->cache + a->pin;
		a->settings[i] = (struct setting){
		        .cell = (uint32_t)(at << level) | bits[from] << flags,
		        .cold = a->cache && !warm,
		        .warm = a->cache && warm,
		};
	}
	r->n_targets = n * of_each;
	return NULL;
}

static void set_caching(void *arg, size_t target, uint32_t repeat)
{
	struct ablate *a = arg;
	const struct setting *s = &a->settings[target];
	struct replay_backend *backend = &a->recipe.campaign.backends[target];
	const struct caching *known = &backend->target.dialect->caching;
	const char *member = a->cold ? a->cold : known->member;
	const char *cold = a->cold ? a->cold_json : known->cold;
	char id[ID_TEXT_SIZE];
	char *own = xasprintf("\"%s\"", id_format(id_make(), id));
	if (s->cold) {
		replay_backend_set(backend, member, cold ? cold : own);
	} else if (s->warm && !a->cold && known->warm) {
		replay_backend_set(backend, member, known->warm);
	}
	free(own);
}

static int check_caching(const struct ablate *a)
{
	for (size_t i = 0; i < a->recipe.n_targets && a->cache && !a->cold; i++) {
		const struct target *t = &a->recipe.campaign.backends[i].target;
		if (!t->dialect->caching.member) {
			return verb_fail("ablate", EXIT_USAGE,
			        xasprintf("plumbline does not know how to keep a request out of "
			                  "the prefix cache of %s: name the member with --cold "
			                  "MEMBER[=JSON]; nothing was sent",
			                t->dialect->title));
		}
	}
	return EXIT_PASS;
}

static double least_effect(const struct ablate *a)
{
	const double *given = a->recipe.report.analysis.least_effects;
	return given ? given[EXCESS_DIFFER] : least_effect_default(EXCESS_DIFFER);
}

/* SAME only if each effect is shown to be below the least one that matters. */
static enum verdict_word word_of(const struct ablate *a)
{
	double least = least_effect(a);
	bool all_small = a->result.enough;
	for (size_t f = 0; f < a->n_factors; f++) {
		if (ablation_carries(&a->result, f)) {
			return VERDICT_DIFFERENT;
		}
		all_small = all_small && a->result.mains[f].flip.ci.high < least;
	}
	return all_small ? VERDICT_SAME : VERDICT_UNCLEAR;
}

/* The number of prompts that shows for each switch whether it has an effect; NaN: unknown. */
static double prompts_needed(const struct ablate *a)
{
	double most = NAN;
	for (size_t f = 0; f < a->n_factors; f++) {
		const struct estimate *e = &a->result.mains[f].flip;
		const struct figure_value effect = {.value = e->value, .ci = e->ci};
		const struct verdict_figure figure = {
		        .value = effect, .over = effect, .least_effect = least_effect(a)};
		most = fmax(most, verdict_needed(&figure, (double)e->clusters));
	}
	return most > (double)a->result.prompts ? most : NAN;
}

/* The analysis compares pairs of targets: its steps decide or confirm other questions. */
static void set_next(const struct ablate *a, const struct analysis *an, json_t *document)
{
	static const struct {
		const char *factor;
		enum cause_kind cause;
	} KNOWN[] = {{"concurrency", CAUSE_LOAD}, {"cache", CAUSE_CACHE}};
	json_t *next = json_array();
	if (word_of(a) == VERDICT_UNCLEAR) {
		document_add_prompts_step(next, prompts_needed(a), a->result.prompts,
		        an->n_groups > 0 ? an->groups[0].place : NULL);
	}
	for (size_t f = 0; f < a->n_factors; f++) {
		for (size_t i = 0; i < ARRAY_LEN(KNOWN) && ablation_carries(&a->result, f); i++) {
			if (strcmp(a->factors[f].name, KNOWN[i].factor) == 0) {
				document_add_step(next,
				        xasprintf("To remove the effect of %s, %s.",
				                KNOWN[i].factor, cause_words(KNOWN[i].cause)->fix),
				        NULL);
			}
		}
	}
	for (size_t i = 0; i < an->n_groups; i++) {
		if (an->groups[i].widest.known) {
			document_add_widest_step(next, &an->groups[i]);
			break;
		}
	}
	json_object_set_new(document, "next", next);
}

static void add_document(void *arg, struct capture *c, const struct analysis *an, json_t *document)
{
	struct ablate *a = arg;
	const struct recipe *r = &a->recipe;
	struct ablation_where where[2 * CAMPAIGN_TARGETS];
	struct buf sentence = {0};
	size_t n = 0;
	for (size_t level = 0; level < r->n_levels; level++) {
		for (size_t i = 0; i < r->n_targets; i++) {
			where[n++] = (struct ablation_where){r->campaign.backends[i].target.name,
			        r->campaign.runs[level], a->settings[i].cell | (uint32_t)level};
		}
	}
	struct ablation *all = ablation_create(a->n_factors);
	ablation_read(all, c, where, n, a->cache ? 1 : 0);
	ablation_judge(all, &a->result);
	ablation_destroy(all);
	json_t *json = document_ablation(&a->result, a->factors);
	ablation_sentence(json, &sentence);
	json_object_set_new(document, "ablation", json);
	document_set_verdict(document, word_of(a), buf_steal(&sentence));
	document_set_cause(document, NULL);
	set_next(a, an, document);
}

static int run(struct ablate *a)
{
	struct recipe *r = &a->recipe;
	r->options.repeats += a->cache; /* the extra first pass fills the caches */
	r->on_pass = set_caching;
	r->pass_arg = a;
	int code = recipe_prepare(r);
	if (code == EXIT_PASS) {
		code = check_caching(a);
	}
	if (code == EXIT_PASS) {
		code = campaign_run(&r->campaign);
	}
	const struct analyze_additions more = {add_document, a};
	return code == EXIT_PASS ? recipe_report(r, &more) : code;
}

int command_ablate(int argc, char **argv)
{
	struct ablate *a = xcalloc(1, sizeof(*a));
	int code;
	if (recipe_read(&a->recipe, &VERB, a, argc, argv, &code)) {
		char *problem = check(a);
		problem = problem ? problem : settle_factors(a);
		problem = problem ? problem : expand(a);
		code = problem ? verb_usage(&VERB.verb, problem) : run(a);
	}
	recipe_finish(&a->recipe);
	for (size_t i = 0; i < a->n_words; i++) {
		free(a->words[i]);
	}
	free(a->cold);
	free(a);
	return code;
}
