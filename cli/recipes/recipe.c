#include "cli/recipes/recipe.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/report/standings.h"
#include "base/mem.h"
#include "base/quoted.h"
#include "cli/verb.h"
#include "cli/recipes/recipe_parts.h"
#include "cli/replay/replay_backend_find.h"
#include "replay/campaign/replay_notice.h"
#include "cli/run_verdict.h"

void recipe_set_base(struct recipe *r, size_t target)
{
	expect(target < r->n_targets);
	struct campaign_target base = r->targets[target];
	struct recipe_target word = r->words[target];
	memmove(&r->targets[1], &r->targets[0], target * sizeof(base));
	memmove(&r->words[1], &r->words[0], target * sizeof(word));
	r->targets[0] = base;
	r->words[0] = word;
}

size_t recipe_find(const struct recipe *r, const char *label)
{
	size_t i = 0;
	while (i < r->n_targets) {
		const char *name = r->targets[i].backend.name ? r->targets[i].backend.name
		                                              : r->targets[i].backend.to;
		if (strcmp(name, label) == 0) {
			break;
		}
		i++;
	}
	return i;
}

/* Each repeat of a sampled answer is a draw with a seed of its own. The seed is the same for all
 * targets. */
static void begin_pass(void *arg, size_t target, uint32_t repeat)
{
	const struct recipe *r = arg;
	char number[24];
	if (r->sampled) {
		snprintf(number, sizeof(number), "%" PRIu64, r->options.seed + repeat);
		replay_backend_set(&r->campaign.backends[target], "seed", number);
	}
	if (r->on_pass) {
		r->on_pass(r->pass_arg, target, repeat);
	}
}

/* If there is nothing to send, there is nothing to analyze, and the reason is known here. The
 * first lanes correspond to the sources, one each. */
static int check_any(const struct campaign *c)
{
	size_t n = MIN(c->n_sources, c->n_lanes);
	bool any = false;
	for (size_t i = 0; i < n; i++) {
		replay_notice_unfit(&c->lanes[i].job);
		any |= c->lanes[i].job.plan.n_sends > 0;
	}
	for (size_t i = 0; i < n && !any; i++) {
		replay_notice_nothing(&c->lanes[i].job, stderr);
	}
	return any ? EXIT_PASS : EXIT_NOT_ENOUGH;
}

int recipe_prepare(struct recipe *r)
{
	for (size_t i = 0; i < r->n_targets; i++) {
		r->targets[i].role = i == 0 ? ROLE_REFERENCE : ROLE_CANDIDATE;
		r->targets[i].backend.members = r->words[i].members;
		r->targets[i].backend.n_members = r->words[i].n_members;
		r->targets[i].backend.of_several = r->n_targets > 1;
	}
	r->campaign = (struct campaign){
	        .options = &r->options,
	        .sources = r->sources,
	        .n_sources = r->n_sources,
	        .targets = r->targets,
	        .n_targets = r->n_targets,
	        .levels = r->levels,
	        .n_levels = r->n_levels,
	        .dir = r->options.capture,
	        .on_pass = begin_pass,
	        .arg = r,
	};
	int code = replay_targets_find(&r->campaign);
	return code == EXIT_PASS ? check_any(&r->campaign) : code;
}

int recipe_send(struct recipe *r)
{
	int code = recipe_prepare(r);
	return code == EXIT_PASS ? campaign_run(&r->campaign) : code;
}

static json_t *targets_json(const struct recipe *r)
{
	json_t *all = json_array();
	for (size_t i = 0; i < r->n_targets; i++) {
		const struct replay_backend *b = &r->campaign.backends[i];
		json_t *o = json_object();
		json_object_set_new(o, "name", quoted(b->target.name));
		json_object_set_new(o, "url", quoted(b->target.url));
		json_object_set_new(o, "engine", quoted(b->target.dialect->title));
		json_object_set_new(o, "version", quoted(replay_backend_version(b)));
		const char *model = replay_backend_model(b);
		json_t *value = model ? json_loads(model, JSON_DECODE_ANY, NULL) : NULL;
		json_object_set_new(o, "model", value ? value : json_null());
		json_array_append_new(all, o);
	}
	return all;
}

static json_t *levels_json(const struct recipe *r)
{
	char id[ID_TEXT_SIZE];
	json_t *all = json_array();
	for (size_t i = 0; i < r->n_levels; i++) {
		json_t *o = json_object();
		json_object_set_new(
		        o, "concurrency", r->levels[i] ? json_integer(r->levels[i]) : json_null());
		json_object_set_new(o, "run", quoted(id_format(r->campaign.runs[i], id)));
		json_array_append_new(all, o);
	}
	return all;
}

/* Describes what the recipe did, so that the report can be read on its own. */
static json_t *recipe_json(const struct recipe *r)
{
	json_t *o = json_object(), *sources = json_array();
	for (size_t i = 0; i < r->n_sources; i++) {
		json_array_append_new(sources, quoted(r->sources[i]));
	}
	json_object_set_new(o, "verb", quoted(r->verb->verb.name));
	json_object_set_new(o, "sources", sources);
	if (r->quant) {
		json_object_set_new(o, "quant", quoted(r->quant));
	}
	json_object_set_new(o, "targets", targets_json(r));
	json_object_set_new(o, "levels", levels_json(r));
	json_object_set_new(o, "repeats", json_integer((json_int_t)r->options.repeats));
	json_object_set_new(o, "sampled", json_boolean(r->sampled));
	json_object_set_new(o, "seed", json_integer((json_int_t)r->options.seed));
	json_object_set_new(o, "requests", json_integer((json_int_t)r->campaign.figures.sends));
	return o;
}

struct additions {
	const struct recipe *recipe;
	const struct analyze_additions *more;
};

static void add_document(void *arg, struct capture *c, const struct analysis *a, json_t *document)
{
	const struct additions *add = arg;
	json_object_set_new(document, "recipe", recipe_json(add->recipe));
	if (add->more) {
		add->more->on_document(add->more->arg, c, a, document);
	}
	int r = run_verdict_save(add->recipe->campaign.dir, document);
	if (r < 0) {
		fprintf(stderr, "plumbline %s: the report can't be saved in %s: %s\n",
		        add->recipe->verb->verb.name, add->recipe->campaign.dir, strerror(-r));
	}
}

int recipe_report(struct recipe *r, const struct analyze_additions *more)
{
	struct additions add = {r, more};
	const struct analyze_additions additions = {add_document, &add};
	struct analyze_options *o = &r->report;
	struct advice_key keys[CAMPAIGN_TARGETS];
	recipe_grade(r);
	for (size_t i = 0; i < r->n_targets; i++) {
		const struct replay_backend *b = &r->campaign.backends[i];
		if (b->key_variable) {
			keys[o->n_keys++] =
			        (struct advice_key){b->target.name, b->target.url, b->key_variable};
		}
	}
	o->keys = keys;
	for (size_t i = 0; i < r->campaign.n_lanes && r->options.limit < UINT64_MAX; i++) {
		o->limit =
		        r->campaign.lanes[i].job.scan.not_chosen > 0 ? r->options.limit : o->limit;
	}
	o->dirs = campaign_dirs(&r->campaign, &o->n_dirs);
	o->analysis.names.by_name = true;
	o->analysis.selection.runs = r->campaign.runs;
	o->analysis.selection.n_runs = r->n_levels;
	/* The flag took a place among the arguments, so there is room for one path more than the
	 * user gave. */
	char *page = r->html ? xasprintf("%s/report.html", r->campaign.dir) : NULL;
	char *problem = page ? out_files_add(&o->saving, page) : NULL;
	int code =
	        problem ? verb_fail(o->command, EXIT_RUNTIME, problem) : analyze_run(o, &additions);
	free(page);
	free(o->dirs);
	o->keys = NULL;
	o->n_keys = 0;
	return code;
}

void recipe_finish(struct recipe *r)
{
	campaign_finish(&r->campaign);
	for (size_t i = 0; i < CAMPAIGN_TARGETS; i++) {
		recipe_target_finish(&r->words[i]);
	}
	for (size_t i = 0; i < r->n_sources; i++) {
		free(r->found[i]);
	}
	for (size_t i = 0; i < r->n_set; i++) {
		free(r->set[i].name);
		free(r->set[i].json);
	}
	for (size_t i = 0; i < r->borrowed.n; i++) {
		free(r->borrowed.words[i]);
	}
	analyze_options_finish(&r->report);
}

int recipe_report_plain(struct recipe *r)
{
	return recipe_report(r, NULL);
}

static void add_standings(void *arg, struct capture *c, const struct analysis *a, json_t *document)
{
	const struct recipe *r = arg;
	const char *names[CAMPAIGN_TARGETS] = {0};
	for (size_t i = 0; i < r->n_targets; i++) {
		names[i] = r->campaign.backends[i].target.name;
	}
	json_object_set_new(document, "standings",
	        standings_make(document, names[0], names + 1, r->n_targets - 1,
	                strcmp(r->verb->verb.name, "sweep") == 0));
}

int recipe_report_standings(struct recipe *r)
{
	const struct analyze_additions additions = {add_standings, r};
	return recipe_report(r, &additions);
}

int recipe_run(
        const struct recipe_verb *verb, int (*report)(struct recipe *r), int argc, char **argv)
{
	struct recipe r;
	int code;
	if (recipe_read(&r, verb, &r, argc, argv, &code)) {
		char *problem = verb->check ? verb->check(&r) : NULL;
		code = problem ? verb_usage(&verb->verb, problem) : recipe_send(&r);
		code = code == EXIT_PASS ? report(&r) : code;
	}
	recipe_finish(&r);
	return code;
}
