/*
 * plumbline analyze - judge pairs of answers.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "analyzer/analysis.h"
#include "analyzer/exhibits.h"
#include "analyzer/report.h"
#include "base/mem.h"
#include "commands/analyze_options.h"
#include "commands/commands.h"
#include "report/form.h"

static int not_enough(const char *what)
{
	fprintf(stderr, "plumbline analyze: %s\n", what);
	return EXIT_NOT_ENOUGH;
}

/* What may be concluded from the figures. */
static int conclude(const struct analysis *a, const struct analyze_options *options)
{
	if (a->exchanges == 0 && a->figures.refused > 0) {
		fputs("plumbline analyze: nothing could be read, for the reasons given as "
		      "problems\n",
		        stderr);
		return EXIT_RUNTIME;
	}
	if (a->exchanges == 0) {
		return not_enough("the capture is empty: no exchange has been recorded yet");
	}
	if (a->n_groups == 0 && a->forced.n_groups > 0) {
		return EXIT_PASS;
	}
	if (a->n_groups == 0 && options->analysis.base) {
		return not_enough("no exchange has answers of both backends; plumbline capture ls "
		                  "names those that there are");
	}
	if (a->n_groups == 0) {
		return not_enough("no exchange has two answers to compare: record with a "
		                  "--reference or a --candidate");
	}
	if (analysis_differing(a) > 0) {
		return EXIT_DIFFERENCE;
	}
	if (analysis_compared(a) == 0) {
		return not_enough("no two complete answers were decoded greedily, so there is no "
		                  "verdict; requests with temperature 0 give one");
	}
	return EXIT_PASS;
}

/* 0, or -1 and a line that says what could not be saved. */
static int save(const struct analyze_options *options, const json_t *document)
{
	int r = 0;
	for (size_t i = 0; i < options->n_outs; i++) {
		enum form form;
		int error = form_of_path(options->outs[i], &form)
		                    ? form_save(form, document, options->outs[i])
		                    : -EINVAL;
		if (error < 0) {
			fprintf(stderr, "plumbline analyze: %s: %s\n", options->outs[i],
			        strerror(-error));
			r = -1;
		}
	}
	return r;
}

/* NULL: nobody wants it. */
static json_t *document_of(
        const struct analyze_options *options, const struct analysis *a, struct capture *c)
{
	const char *const *problems = NULL;
	size_t n_problems = capture_problems(c, &problems);
	if (!options->json && options->n_outs == 0) {
		return NULL;
	}
	json_t *document = report_document(a, problems, n_problems);
	json_t *dirs = json_array();
	for (size_t i = 0; i < options->analysis.n_dirs; i++) {
		json_t *dir = json_string(options->analysis.dirs[i]);
		json_array_append_new(dirs, dir ? dir : json_null());
	}
	json_object_set_new(document, "captures", dirs);
	json_object_set_new(document, "exhibits", json_null());
	if (options->analysis.exhibits > 0) {
		exhibits_add(document, c, a, options->analysis.exhibits, EXHIBITS_BYTES);
	}
	return document;
}

/* What goes to standard output shows no content unless that was said. */
static void write_json(const struct analyze_options *options, json_t *document)
{
	if (!options->has_exhibits) {
		json_object_set_new(document, "exhibits", json_null());
	}
	form_write(FORM_JSON, document, stdout);
}

static int run(struct analyze_options *options)
{
	char *error = NULL;
	struct capture *c = capture_open(options->analysis.dirs, options->analysis.n_dirs, &error);
	if (!c) {
		fprintf(stderr, "plumbline analyze: %s\n", error);
		free(error);
		return EXIT_RUNTIME;
	}
	options->analysis.progress = isatty(STDERR_FILENO) ? stderr : NULL;
	struct analysis a;
	analysis_run(c, &options->analysis, &a);
	json_t *document = document_of(options, &a, c);
	int saved = save(options, document);
	if (options->json) {
		write_json(options, document);
	} else {
		const char *const *problems = NULL;
		size_t n_problems = capture_problems(c, &problems);
		const char *no_colour = getenv("NO_COLOR");
		const struct report_options report = {
		        .problems = problems,
		        .n_problems = n_problems,
		        .dir = options->analysis.dirs[0],
		        .colour = isatty(STDOUT_FILENO) && !(no_colour && *no_colour),
		};
		report_text(&a, &report, stdout);
	}
	json_decref(document);
	int code = saved < 0 ? EXIT_RUNTIME : conclude(&a, options);
	analysis_finish(&a);
	capture_close(c);
	if (fflush(stdout) != 0 || ferror(stdout)) {
		fputs("plumbline analyze: the report can't be written\n", stderr);
		return EXIT_RUNTIME;
	}
	return code;
}

int command_analyze(int argc, char **argv)
{
	struct analyze_options options;
	char *problem = analyze_options_parse(argc, argv, &options);
	int code = EXIT_PASS;
	if (problem) {
		fprintf(stderr, "plumbline analyze: %s\n", problem);
		free(problem);
		code = EXIT_USAGE;
	} else if (options.help) {
		analyze_options_usage();
	} else {
		code = run(&options);
	}
	analyze_options_finish(&options);
	return code;
}
