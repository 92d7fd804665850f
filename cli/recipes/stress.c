/*
 * plumbline stress - does an engine answer differently under load?
 */
#include "cli/recipes/stress_report.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <xxhash.h>

#include "base/mem.h"
#include "capture/capture_meta.h"
#include "cli/commands.h"
#include "cli/verb.h"
#include "cli/outfile.h"
#include "cli/recipes/recipe.h"
#include "replay/stress_source.h"
#include "cli/replay/replay_backend_find.h"

static const struct option_row OPTIONS[] = {
        RECIPE_OPERANDS,
        OPT_INCLUDE_SAME(RECIPE_OPTIONS),
        OPT_INCLUDE_SAME(RECIPE_BORROWED_OPTIONS),
        OPT_END,
};

static const struct recipe_verb VERB = {
        .verb = {.name = "stress",
                .usage = "SUITE... --to TARGET [options]",
                .about = "Sends the same requests to one engine alone and under rising load, and "
                         "says what changes in its answers under load.\n\nIt sends each request "
                         "twice at each load (--repeats 2 --concurrency 1,2,4,8,16), with greedy "
                         "decoding. It looks for answers that change with the load, text of other "
                         "requests (one pass marks each prompt with a word of its own), answers to "
                         "another prompt, errors, loops, empty answers, answers in another script, "
                         "and answers that change after a request failed. The same command resumes "
                         "an interrupted run.",
                .options = OPTIONS,
                .examples = "plumbline stress determinism --to http://127.0.0.1:8000\n"
                            "plumbline stress reasoning code --to http://127.0.0.1:8000 \\\n"
                            "    --concurrency 1,8,32 --limit 50 --out stress.html\n"
                            "plumbline stress capture --to prod -c configs/proxy.yaml --repeats 3",
                .exit_codes = "0 load changes nothing, 1 it does, 4 UNCLEAR, or nothing was "
                              "sent; " RECIPE_ERROR_CODES},
        .least = 1,
        .most = 1,
        .repeats = 2,
};

struct stress {
	struct recipe recipe;
	struct stress_source made;
	struct marker marker;
	char *dir, *canaries, *probes; /* paths */
	struct campaign_target target; /* of the probes */
	struct member_setting *members;
	struct replay_options options;
	struct campaign campaign;
	struct stress_finding finding;
};

static int by_number(const void *a, const void *b)
{
	unsigned x = *(const unsigned *)a, y = *(const unsigned *)b;
	return (x > y) - (x < y);
}

/* Sorts the levels and adds the lowest, which is the floor. NULL, or an error message. */
static char *settle_levels(struct recipe *r)
{
	static const unsigned USUAL[] = {1, 2, 4, 8, 16};
	if (r->n_levels == 1 && r->levels[0] == 0) {
		memcpy(r->levels, USUAL, sizeof(USUAL));
		r->n_levels = ARRAY_LEN(USUAL);
	}
	qsort(r->levels, r->n_levels, sizeof(*r->levels), by_number);
	if (r->levels[0] != 1 && r->n_levels == CAMPAIGN_LEVELS) {
		return xasprintf("more than %d levels, including 1", CAMPAIGN_LEVELS);
	}
	if (r->levels[0] != 1) {
		memmove(&r->levels[1], &r->levels[0], r->n_levels * sizeof(*r->levels));
		r->levels[0] = 1;
		r->n_levels++;
	}
	return r->n_levels < 2 ? xstrdup("--concurrency needs a level above 1") : NULL;
}

static char *check(struct recipe *r)
{
	if (r->options.repeats < 2) {
		return xstrdup(
		        "stress needs --repeats 2 or more: requests sent once give no noise floor");
	}
	if (r->n_sources == RECIPE_SOURCES) {
		return xasprintf("more than %d suites", RECIPE_SOURCES - 1);
	}
	return settle_levels(r);
}

/* The directory's name. It is the same for the same suites and target. */
static char *dir_of(const struct recipe *r)
{
	const struct replay_backend_options *w = &r->targets[0].backend;
	struct buf text = {0};
	for (size_t i = 0; i < r->n_sources; i++) {
		buf_printf(&text, "%s|", r->sources[i]);
	}
	buf_printf(&text, "%s%s|%s|%" PRIu64 "|%" PRIu64 "|%a", r->options.even ? "even|" : "",
	        w->to, w->model ? w->model : "", r->options.seed, r->options.limit,
	        r->options.rules.share);
	uint64_t hash = XXH3_64bits(text.data, text.len);
	buf_finish(&text);
	return xasprintf("plumbline-stress-%08" PRIx64, hash >> 32);
}

static int make_dir(struct stress *s)
{
	struct recipe *r = &s->recipe;
	uint8_t key[32];
	char *error = NULL;
	bool has_key = capture_hash_key(r->sources[0], key);
	s->dir = r->options.capture ? xstrdup(r->options.capture) : dir_of(r);
	r->options.capture = s->dir;
	return marker_make(s->dir, has_key ? key : NULL, &s->marker, &error) < 0
	               ? verb_fail("stress", EXIT_USAGE, error)
	               : EXIT_PASS;
}

static int add_source(struct stress *s, const char *path)
{
	struct recipe *r = &s->recipe;
	struct capture *c = NULL;
	char *error = NULL;
	int code = replay_job_open_source("stress", path, &c);
	if (code != EXIT_PASS) {
		return code;
	}
	struct source *from = c ? source_capture(c)
	                        : source_lines(path, s->marker.hash_key, &r->options.units, &error);
	if (!from) {
		return verb_fail("stress", EXIT_USAGE, error);
	}
	int e = stress_source_add(&s->made, from, &r->options.rules, r->options.limit,
	        r->options.even, r->options.seed);
	source_destroy(from);
	capture_close(c);
	return e < 0 ? verb_fail("stress", EXIT_RUNTIME,
	                       xasprintf("%s can't be read: %s", path, strerror(-e)))
	             : EXIT_PASS;
}

static int write_lines(const struct buf *lines, const char *path)
{
	int r = outfile_write(path, 0600, buf_span(lines));
	return r == 0 ? EXIT_PASS
	              : verb_fail("stress", EXIT_RUNTIME,
	                        xasprintf("%s can't be written: %s", path, strerror(-r)));
}

/* Makes further sources: the suites with canaries, and the probes. */
static int make_sources(struct stress *s)
{
	struct recipe *r = &s->recipe;
	int code = EXIT_PASS;
	for (size_t i = 0; i < r->n_sources && code == EXIT_PASS; i++) {
		code = add_source(s, r->sources[i]);
	}
	s->canaries = xasprintf("%s/stress-canaries.jsonl", s->dir);
	s->probes = xasprintf("%s/stress-probes.jsonl", s->dir);
	if (code == EXIT_PASS && s->made.n_canaries > 0) {
		code = write_lines(&s->made.canaries, s->canaries);
		r->sources[r->n_sources] = s->canaries;
		r->found[r->n_sources++] = NULL;
	}
	if (code == EXIT_PASS && s->made.n_probes > 0) {
		code = write_lines(&s->made.probes, s->probes);
	}
	return code;
}

/* The probes use the same model as the suites. */
static void choose_model(struct stress *s)
{
	const char *model = replay_backend_model(&s->recipe.campaign.backends[0]);
	struct replay_backend_options *w = &s->target.backend;
	s->members = xcalloc(w->n_members + 1, sizeof(*s->members));
	memcpy(s->members, w->members, w->n_members * sizeof(*s->members));
	if (model && !w->model) {
		s->members[w->n_members++] =
		        (struct member_setting){(char *)"model", (char *)model};
	}
	w->members = s->members;
}

/* Sends the probes one at a time, in order. */
static int send_probes(struct stress *s)
{
	static const unsigned ALONE[] = {1};
	const struct recipe *r = &s->recipe;
	if (s->made.n_probes == 0) {
		return EXIT_PASS;
	}
	s->target = (struct campaign_target){
	        .backend = r->targets[0].backend, .role = r->targets[0].role};
	choose_model(s);
	s->options = r->options;
	s->options.order = ORDER_CAPTURED;
	s->options.repeats = 1;
	s->options.limit = UINT64_MAX;
	s->options.error_limit = 1;
	s->options.rules = (struct request_choice_rules){
	        .share = 1, .filters = {.known = REQUEST_CHOICE_KEYS}};
	s->campaign = (struct campaign){
	        .options = &s->options,
	        .sources = (const char **)&s->probes,
	        .n_sources = 1,
	        .targets = &s->target,
	        .n_targets = 1,
	        .levels = ALONE,
	        .n_levels = 1,
	        .dir = s->dir,
	        .may_fail = true,
	        .sent_before = r->campaign.figures.sends - r->campaign.figures.before,
	};
	int code = replay_targets_find(&s->campaign);
	return code == EXIT_PASS ? campaign_run(&s->campaign) : code;
}

static void add_document(void *arg, struct capture *c, const struct analysis *a, json_t *document)
{
	struct stress *s = arg;
	const struct recipe *r = &s->recipe;
	const struct stress_input input = {
	        .backend = r->campaign.backends[0].target.name,
	        .runs = r->campaign.runs,
	        .levels = r->levels,
	        .n_levels = r->n_levels,
	        .probes = s->campaign.runs[0],
	};
	stress_read(c, &input, &s->finding);
	json_object_set_new(document, "stress", stress_json(&s->finding));
	const struct analysis_group *levels = a->n_groups > 0 ? &a->groups[0] : NULL;
	const double *least = levels ? levels->least_effects : NULL;
	stress_set_verdict(document, &s->finding, levels,
	        least ? least[EXCESS_DIFFER] : least_effect_default(EXCESS_DIFFER), s->dir,
	        &r->campaign.backends[0]);
}

/* The analysis compares the highest level with the lowest. */
static int report(struct stress *s)
{
	struct recipe *r = &s->recipe;
	struct pair_names *w = &r->report.analysis.names;
	const char *name = r->campaign.backends[0].target.name;
	char *alone = xasprintf("%s alone", name);
	char *loaded = xasprintf("%s at concurrency %u", name, r->levels[r->n_levels - 1]);
	w->base = (struct pair_side){name, r->campaign.runs[0]};
	w->test = (struct pair_side){name, r->campaign.runs[r->n_levels - 1]};
	r->report.analysis.base_label = alone;
	r->report.analysis.test_label = loaded;
	const struct analyze_additions more = {add_document, s};
	int code = recipe_report(r, &more);
	free(alone);
	free(loaded);
	return code;
}

static int run(struct stress *s)
{
	int code = make_dir(s);
	if (code == EXIT_PASS) {
		code = make_sources(s);
	}
	if (code == EXIT_PASS) {
		code = recipe_prepare(&s->recipe);
	}
	if (code == EXIT_PASS) {
		s->recipe.campaign.sent_after = s->made.n_lines;
		code = campaign_run(&s->recipe.campaign);
	}
	if (code == EXIT_PASS) {
		code = send_probes(s);
	}
	return code == EXIT_PASS ? report(s) : code;
}

/* Nothing was sent, so delete the files that were made for it. */
static void drop_dir(const struct stress *s)
{
	const char *const made[] = {s->canaries, s->probes};
	for (size_t i = 0; i < ARRAY_LEN(made); i++) {
		if (made[i]) {
			unlink(made[i]);
		}
	}
	marker_drop(s->dir);
}

int command_stress(int argc, char **argv)
{
	struct stress *s = xcalloc(1, sizeof(*s));
	int code;
	if (recipe_read(&s->recipe, &VERB, &s->recipe, argc, argv, &code)) {
		char *problem = check(&s->recipe);
		code = problem ? verb_usage(&VERB.verb, problem) : run(s);
	}
	campaign_finish(&s->campaign);
	const struct campaign_figures *f = &s->recipe.campaign.figures;
	bool sent = f->before + f->completed + f->failed > 0;
	recipe_finish(&s->recipe);
	if (s->marker.is_new && !sent) {
		drop_dir(s);
	}
	stress_source_finish(&s->made);
	free(s->members);
	free(s->canaries);
	free(s->probes);
	free(s->dir);
	free(s);
	return code;
}
