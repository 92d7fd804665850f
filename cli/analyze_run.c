#include "cli/analyze_run.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "analyzer/analysis.h"
#include "analyzer/greedy_differences.h"
#include "analyzer/part_set.h"
#include "analyzer/report/policy/accepted.h"
#include "analyzer/report/document/exhibits.h"
#include "analyzer/report/document/document.h"
#include "analyzer/report/document/document_verdict.h"
#include "base/buf.h"
#include "base/mem.h"
#include "capture/formats/line_reader.h"
#include "cli/run_verdict.h"
#include "cli/verb.h"
#include "cli/known_backend.h"
#include "cli/stacks_json.h"
#include "analyzer/report/groups.h"
#include "analyzer/report/metric.h"
#include "analyzer/report/policy/policy_check.h"
#include "analyzer/report/node.h"

/* A backend of which all answers failed; NULL: none. */
static const struct traffic_backend *backend_without_answers(const struct traffic *t)
{
	for (size_t i = 0; i < t->n_backends; i++) {
		const struct traffic_backend *b = &t->backends[i];
		if (b->failed.total > 0 && b->failed.total == b->answers) {
			return b;
		}
	}
	return NULL;
}

/* The reason why there is nothing to compare. The caller frees it. c: NULL if only rows are
 * available. scorer: the reference that should have scored the answers; zero: unknown. */
static char *nothing_to_compare(const struct analysis *a, const struct analyze_options *options,
        const struct advice_place *place, struct capture *c, const struct advice_engine *scorer)
{
	char *why = selecting_nothing(&options->selecting, c, a);
	if (why) {
		return why;
	}
	if (a->counts.chosen == 0) {
		return xstrdup("the capture is empty: no exchange has been recorded yet");
	}
	const struct traffic *t = &a->traffic;
	const struct traffic_backend *dead = backend_without_answers(t);
	if (dead) {
		return xasprintf("no exchange has two answers to compare: all %" PRIu64
		                 " requests to %s failed, most of them so: %s",
		        dead->answers, dead->name, name_counts_most(&dead->failed)->name);
	}
	if (!options->selecting.base && t->n_backends > 1) {
		return xstrdup("this capture has no reference and no primary: name the two "
		               "backends to compare with --base and --test");
	}
	if (!options->selecting.base && scorer->name[0]) {
		return xasprintf("no answer has a score of %s: the proxy's metrics "
		                 "plumbline_unscorable_total, plumbline_copies_excluded_total and "
		                 "plumbline_copies_dropped_total say why",
		        scorer->name);
	}
	if (!options->selecting.base) {
		return xstrdup("no exchange has two answers to compare: record with a --reference "
		               "of the proxy, send the requests to a second engine (plumbline "
		               "replay), or import a second file of answers");
	}
	char *dirs = advice_captures(place);
	why = xasprintf("no exchange has answers of both backends; plumbline capture ls %s lists "
	                "the answers that there are",
	        dirs ? dirs : "DIR");
	free(dirs);
	return why;
}

/* Without a baseline, proposes to compare the backends that answered first. */
static void add_compare_step(json_t *document, const struct analysis *a,
        const struct analyze_options *options, const struct advice_place *place)
{
	const struct traffic *t = &a->traffic;
	if (a->n_groups == 0 && !options->selecting.base && t->n_backends > 1) {
		document_add_step(json_object_get(document, "next"),
		        xasprintf(
		                "To compare %s with %s:", t->backends[1].name, t->backends[0].name),
		        advice_compare(place, t->backends[0].name, t->backends[1].name));
	}
}

/* Proposes to score the answers. scorer: as for nothing_to_compare(). */
static void add_score_step(json_t *document, const struct analysis *a,
        const struct advice_place *place, const struct advice_engine *scorer)
{
	static const struct advice_engine ANY = {
	        .name = "trusted", .url = "URL", .may_score = true};
	bool is_known = scorer->name[0] && scorer->url[0] && scorer->may_score;
	struct advice_engine of = {0};
	if (a->draws.n_groups == 0) {
		return;
	}
	const char *backend = a->draws.groups[0].backend;
	if (!draws_may_be_scored(&a->draws, backend)) {
		document_add_record_step(json_object_get(document, "next"), backend);
		return;
	}
	advice_engine_add_leg(&of, of.leg, NULL, backend, NULL);
	char *command = advice_score(place, is_known ? scorer : &ANY, &of, true);
	document_add_step(json_object_get(document, "next"),
	        xasprintf("To get a verdict, score the answers with %s%s",
	                is_known ? scorer->name : "an engine that you trust",
	                !command   ? " (plumbline score, docs/sampled.md)."
	                : is_known ? ":"
	                           : ", at its URL:"),
	        command);
}

/* The verdict says why nothing was compared, unless one engine's own answers decide. */
static void say_nothing_to_compare(json_t *document, const struct analysis *a,
        const struct analyze_options *options, const struct advice_place *place, struct capture *c)
{
	const struct draws *d = &a->draws;
	struct advice_engine scorer = {0};
	if (a->n_groups > 0 || strcmp(groups_verdict(document), "DIFFERENT") == 0) {
		return;
	}
	if (c) {
		known_backend_scorer(c, &scorer);
	}
	char *why = nothing_to_compare(a, options, place, c, &scorer);
	struct buf text = {0};
	buf_printf(&text, "%c%s", toupper((unsigned char)why[0]), why + 1);
	if (d->n_groups > 0 &&
	        strcmp(d->groups[0].backend, d->groups[d->n_groups - 1].backend) == 0) {
		document_put_own_draws(&text, ". ", d, d->groups[0].backend);
	}
	buf_append_char(&text, '.');
	document_set_verdict(document, VERDICT_UNCLEAR, buf_steal(&text));
	add_score_step(document, a, place, &scorer);
	free(why);
}

/* Adds the facts of each stack to its id, so that readers of the document need no capture. */
static void name_stacks(json_t *document, const struct stacks *known)
{
	NODE_EACH(group, json_object_get(document, "groups")) {
		const json_t *stacks = json_object_get(json_object_get(group, "slices"), "stack");
		NODE_EACH(value, json_object_get(stacks, "values")) {
			struct id id;
			const char *text = json_string_value(json_object_get(value, "value"));
			const char *name =
			        text && id_parse(text, &id) ? stacks_name(known, id) : NULL;
			if (name && json_is_string(json_object_get(group, "test"))) {
				json_object_set_new(value, "name",
				        json_sprintf("%s: %s",
				                json_string_value(json_object_get(group, "test")),
				                name));
			}
		}
	}
}

static void print(const struct analyze_options *options, const json_t *document)
{
	json_t *shown = out_files_shown(&options->saving, document, OUTPUT_FORMAT_TEXT);
	/* Exhibits are too long for standard output unless the user asked for them. */
	if (options->json && !options->has_exhibits && exhibits_any(shown)) {
		json_t *all = shown;
		shown = json_copy(all);
		json_object_set_new(shown, "exhibits", json_null());
		json_decref(all);
	}
	if (options->json) {
		output_format_write(OUTPUT_FORMAT_JSON, shown, stdout);
	} else {
		output_format_print(shown, options->full, stdout);
	}
	json_decref(shown);
}

static bool has_backend(void *arg, const char *name, const char *url)
{
	return known_backend_exists(arg, name, url);
}

/* What the exit code depends on besides the verdict. */
struct gate {
	struct policy *policy; /* or NULL */
	json_t *accepted;      /* or NULL */
};

/* A finished analysis and its source. */
struct judged {
	const struct analysis *analysis;
	struct capture *c; /* NULL: only rows are available */
	const struct advice_place *place;
	const char *const *problems;
	size_t n_problems;
};

/* The document includes the pairs of answers that the user asked for. */
static json_t *document_of(const struct judged *j, const struct analyze_options *options)
{
	json_t *document = document_of_analysis(j->analysis, j->problems, j->n_problems);
	json_t *dirs = json_array();
	for (size_t i = 0; i < j->place->n_dirs; i++) {
		json_t *dir = json_string(j->place->dirs[i]);
		json_array_append_new(dirs, dir ? dir : json_null());
	}
	json_object_set_new(document, "captures", dirs);
	json_t *line = json_string(options->line);
	json_object_set_new(document, "command", line ? line : json_null());
	if (j->c) {
		capture_rewind(j->c);
	}
	json_object_set_new(
	        document, "manifest", j->c ? stacks_json_of_capture(j->c, NULL) : json_null());
	json_object_set_new(document, "exhibits", json_null());
	if (options->as_rollout) {
		json_object_set_new(document, "as", json_string("rollout"));
	}
	name_stacks(document, &j->analysis->stacks);
	if (j->c && options->analysis.exhibits > 0) {
		exhibits_add(
		        document, j->c, j->analysis, options->analysis.exhibits, EXHIBITS_BYTES);
	}
	if (options->has_exhibits && options->analysis.exhibits == 0) {
		json_t *all = document;
		document = exhibits_drop(all);
		json_decref(all);
	}
	return document;
}

int analyze_exit_code(const json_t *document)
{
	if (json_object_get(document, "policy")) {
		enum policy_result r = policy_result_of(document);
		return r == POLICY_RESULT_PASS   ? EXIT_PASS
		       : r == POLICY_RESULT_FAIL ? EXIT_DIFFERENCE
		                                 : EXIT_NOT_ENOUGH;
	}
	const char *word = groups_verdict(document);
	return accepted_excuses_verdict(document) || strcmp(word, "SAME") == 0 ? EXIT_PASS
	       : strcmp(word, "DIFFERENT") == 0                                ? EXIT_DIFFERENCE
	                                                                       : EXIT_NOT_ENOUGH;
}

static int tell(const struct judged *j, const struct gate *gate,
        const struct analyze_options *options, const struct analyze_additions *more)
{
	const struct analysis *a = j->analysis;
	json_t *document = document_of(j, options);
	metric_set_units(document);
	add_compare_step(document, a, options, j->place);
	say_nothing_to_compare(document, a, options, j->place, j->c);
	if (more) {
		more->on_document(more->arg, j->c, a, document);
	}
	for (size_t i = 0; i < options->n_dirs && j->c && !more; i++) {
		run_verdict_add(document, options->dirs[i]);
	}
	if (gate->accepted) {
		struct greedy_differences d;
		greedy_differences_read(j->c, &options->analysis, &d);
		accepted_check(gate->accepted, options->accepted, d.found, d.without_key, document);
		greedy_differences_finish(&d);
	}
	if (gate->policy) {
		(void)policy_check(gate->policy, document);
	}
	int saved = out_files_write(&options->saving, options->command, document);
	print(options, document);
	int code = analyze_exit_code(document);
	verb_warn(options->command, j->problems, j->n_problems);
	if (a->counts.chosen == 0 && a->figures.refused > 0) {
		code = EXIT_RUNTIME;
	}
	json_decref(document);
	return saved < 0 ? EXIT_RUNTIME : code;
}

static int run_on(struct capture *c, const struct gate *gate, struct analyze_options *options,
        const struct analyze_additions *more)
{
	struct advice_place place = {.dirs = options->dirs,
	        .n_dirs = options->n_dirs,
	        .has_backend = has_backend,
	        .arg = c,
	        .keys = options->keys,
	        .n_keys = options->n_keys,
	        .recipe = options->recipe,
	        .limit_option = options->limit_option,
	        .limit = options->limit};
	struct analysis a;
	options->analysis.place = &place;
	options->analysis.progress = true;
	analysis_run(c, &options->analysis, &a);
	struct judged j = {.analysis = &a, .c = c, .place = &place};
	j.n_problems = capture_problems(c, &j.problems);
	int code = tell(&j, gate, options, more);
	analysis_finish(&a);
	return code;
}

static bool rows_name_backend(void *arg, const char *name, const char *url)
{
	const struct text_list *backends = arg;
	char *text = xasprintf("%s %s", name, url);
	size_t i = 0;
	while (i < backends->n && strcmp(backends->items[i], text) != 0) {
		i++;
	}
	free(text);
	return i < backends->n;
}

static char *read_lines(const char *path, FILE *file, struct part_set *to)
{
	struct line_reader lines;
	struct span line;
	char *problem = NULL;
	int r = 1;
	line_reader_init(&lines, file);
	while (!problem && (r = line_reader_next(&lines, &line)) == 1) {
		problem = line.len ? part_set_read(to, line) : NULL;
	}
	if (!problem && r < 0) {
		problem = xstrdup(r == -EFBIG ? "the line is too long" : strerror(-r));
	}
	if (!problem) {
		problem = part_set_end_file(to);
	}
	if (problem) {
		char *text = xasprintf("%.200s:%" PRIu64 ": %s", path, lines.number, problem);
		free(problem);
		problem = text;
	}
	line_reader_finish(&lines);
	return problem;
}

static char *read_rows_file(const char *path, struct part_set *to)
{
	bool is_input = strcmp(path, "-") == 0;
	FILE *file = is_input ? stdin : fopen(path, "re");
	struct stat st;
	if (file && fstat(fileno(file), &st) == 0 && S_ISDIR(st.st_mode)) {
		fclose(file);
		return xasprintf("%.200s can't be read: it is a directory, and --from-pairs takes "
		                 "files that plumbline pairs wrote",
		        path);
	}
	if (!file) {
		return xasprintf("%.200s can't be read: %s", path, strerror(errno));
	}
	char *problem = read_lines(path, file, to);
	if (!is_input) {
		fclose(file);
	}
	return problem;
}

static int run_on_rows(const struct gate *gate, struct analyze_options *options)
{
	struct analysis a = {0};
	struct part_set parts = {.to = &a};
	char *problem = NULL;
	for (size_t i = 0; i < options->n_dirs && !problem; i++) {
		problem = read_rows_file(options->dirs[i], &parts);
	}
	if (!problem) {
		problem = part_set_end(&parts, options->partial);
	}
	int code;
	if (problem) {
		code = verb_fail(options->command, EXIT_RUNTIME, problem);
	} else {
		const struct advice_place place = {parts.first.captures.items,
		        parts.first.captures.n, rows_name_backend, &parts.first.backends};
		const struct text_list problems = part_set_problems(&parts);
		const struct judged j = {&a, NULL, &place, problems.items, problems.n};
		options->selecting.base = parts.first.base;
		analysis_settle(&a, &place, options->analysis.least_effects);
		code = tell(&j, gate, options, NULL);
	}
	analysis_finish(&a);
	part_set_finish(&parts);
	return code;
}

static int run_on_capture(const struct gate *gate, struct analyze_options *options,
        const struct analyze_additions *more)
{
	char *error = NULL;
	struct capture *c = capture_open(options->dirs, options->n_dirs, &error);
	if (!c) {
		return verb_fail(options->command, EXIT_RUNTIME, error);
	}
	char *problem = selecting_resolve(&options->selecting, c, &options->analysis);
	int code = problem ? verb_fail(options->command, EXIT_USAGE, problem)
	                   : run_on(c, gate, options, more);
	capture_close(c);
	return code;
}

/* Returns NULL or the problem with a file; the caller frees it. */
static char *read_gate(const struct analyze_options *options, struct gate *ret)
{
	char *error = NULL;
	*ret = (struct gate){0};
	if (options->policy) {
		ret->policy = policy_load(options->policy, &error);
	}
	if (!error && options->accepted) {
		ret->accepted = accepted_load(options->accepted, &error);
	}
	return error;
}

int analyze_run(struct analyze_options *options, const struct analyze_additions *more)
{
	struct gate gate;
	char *error = read_gate(options, &gate);
	int code = error                 ? verb_fail(options->command, EXIT_USAGE, error)
	           : options->from_pairs ? run_on_rows(&gate, options)
	                                 : run_on_capture(&gate, options, more);
	policy_destroy(gate.policy);
	json_decref(gate.accepted);
	return verb_flush(options->command, code);
}
