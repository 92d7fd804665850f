/*
 * plumbline analyze - judge pairs of answers.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "analyzer/analysis.h"
#include "analyzer/report.h"
#include "base/conf.h"
#include "base/mem.h"
#include "commands/commands.h"
#include "commands/selecting.h"
#include "report/form.h"

#define JOBS_LIMIT 64

static const char USAGE[] =
        "usage: plumbline analyze DIR... [options]\n"
        "\n"
        "Pairs the recorded answers to each request and says how many differ, where they part, and "
        "by how\n"
        "much. Against a reference the primary is on trial; a candidate is on trial against the "
        "primary.\n"
        "\n"
        "  --base NAME[@RUN]   the backend that is held to be right; with --test\n"
        "  --test NAME[@RUN]   the backend on trial; with --base. The same name twice: its "
        "repeats. RUN is\n"
        "                 a number, first, last, or an id or its beginning: capture ls --runs "
        "lists them\n"
        "  --since TIME   exchanges from then on: 2026-01-31T18:00 (UTC), or how long ago: 2h, "
        "7d\n"
        "  --until TIME   exchanges before then\n"
        "  --where KEY=VALUE   only these; KEY!=VALUE: all others. Given several times, all "
        "must hold. Of\n"
        "                 requests: model, endpoint, stream, tools, id, session, category; of "
        "answers:\n"
        "                 backend, run, status, outcome, replica. VALUE may be a pattern "
        "(model='qwen*')\n"
        "  --by WHAT      stack or replica: a deployment in mid-capture, or each server behind "
        "an address,\n"
        "                 is shown by itself\n"
        "  --jobs N       threads; the figures are the same, bit for bit. Not with --by\n"
        "  --out FILE     saves the report, in the form that its name ends in; may be given "
        "several "
        "times\n"
        "  --json         one JSON document instead of the table\n"
        "  -h, --help\n"
        "\n"
        "examples:\n"
        "  plumbline analyze capture\n"
        "  plumbline analyze capture --base trusted --test trusted-2     the noise between two "
        "references\n"
        "  plumbline analyze capture --base primary@first --test new@last     an upgrade that "
        "was replayed\n"
        "  plumbline analyze capture --since 2h --where model='llama-*' --where stream=yes\n"
        "  plumbline analyze monday tuesday --json > analysis.json\n"
        "\n"
        "exit codes: 0 no greedy answers differ, 1 some differ, 2 command line, 3 the capture "
        "can't be read,\n"
        "4 not enough data: nothing recorded, no pairs, or no greedy ones\n";

struct options {
	const char **dirs;
	size_t n_dirs;
	struct selecting selecting;
	struct analysis_options analysis;
	const char **outs; /* files to save */
	size_t n_outs;
	bool json, help;
};

/* "--name VALUE" and "--name=VALUE". False: it is another argument. */
static bool take_value(
        const char *name, int argc, char **argv, int *i, const char **ret_value, char **ret_problem)
{
	size_t len = strlen(name);
	const char *arg = argv[*i];
	if (strncmp(arg, name, len) != 0 || (arg[len] != '\0' && arg[len] != '=')) {
		return false;
	}
	if (arg[len] == '=') {
		*ret_value = arg + len + 1;
	} else if (*i + 1 < argc) {
		*ret_value = argv[++*i];
	} else {
		*ret_problem = xasprintf("%s needs a value", name);
	}
	return true;
}

/* NULL, or the problem. */
static char *parse_by(const char *text, enum slice_by *ret)
{
	if (strcmp(text, "stack") == 0) {
		*ret = SLICE_STACK;
	} else if (strcmp(text, "replica") == 0) {
		*ret = SLICE_REPLICA;
	} else {
		return xasprintf("--by must be stack or replica, not \"%.60s\"", text);
	}
	return NULL;
}

/* NULL, or the problem. */
static char *parse_jobs(const char *text, unsigned *ret)
{
	char *end;
	errno = 0;
	unsigned long n = strtoul(text, &end, 10);
	if (errno || *end || text[0] < '0' || text[0] > '9' || n == 0 || n > JOBS_LIMIT) {
		return xasprintf(
		        "--jobs must be a number from 1 to %d, not \"%.60s\"", JOBS_LIMIT, text);
	}
	*ret = (unsigned)n;
	return NULL;
}

/* NULL, or the problem. */
static char *take_out(struct options *options, const char *path)
{
	enum form form;
	if (!form_of_path(path, &form)) {
		return xasprintf("--out %.200s: the name must end in %s", path, form_ends());
	}
	options->outs[options->n_outs++] = path;
	return NULL;
}

static char *unknown_flag(const char *arg)
{
	static const char *const WORDS[] = {"--base", "--test", "--since", "--until", "--where",
	        "--by", "--jobs", "--out", "--json", "--help", NULL};
	const char *near = conf_nearest(arg, WORDS);
	return xasprintf("%.60s is not a known flag%s%s%s", arg, near ? "; did you mean " : "",
	        near ? near : "", near ? "?" : "");
}

/* True: the argument was one of those that choose. */
static bool take_choice(int argc, char **argv, int *i, struct selecting *s, char **ret_problem)
{
	const char *where = NULL;
	if (take_value("--where", argc, argv, i, &where, ret_problem)) {
		if (!*ret_problem) {
			*ret_problem = selecting_where(s, where);
		}
		return true;
	}
	return take_value("--base", argc, argv, i, &s->base, ret_problem) ||
	       take_value("--test", argc, argv, i, &s->test, ret_problem) ||
	       take_value("--since", argc, argv, i, &s->since, ret_problem) ||
	       take_value("--until", argc, argv, i, &s->until, ret_problem);
}

/* What the arguments say together. NULL, or the problem. */
static char *check_options(struct options *o, const char *by, const char *jobs)
{
	char *problem = by ? parse_by(by, &o->analysis.by) : NULL;
	if (!problem && jobs) {
		problem = parse_jobs(jobs, &o->analysis.jobs);
	}
	if (!problem) {
		problem = selecting_parse(&o->selecting, &o->analysis);
	}
	if (!problem && o->n_dirs == 0) {
		problem = xstrdup("which capture? Give its directory: plumbline analyze DIR");
	}
	return problem;
}

/* NULL, or the problem. */
static char *parse_options(int argc, char **argv, struct options *ret)
{
	char *problem = NULL;
	const char *by = NULL, *jobs = NULL;
	ret->dirs = xcalloc((size_t)argc, sizeof(char *));
	ret->outs = xcalloc((size_t)argc, sizeof(char *));
	for (int i = 1; i < argc && !problem; i++) {
		const char *arg = argv[i], *out = NULL;
		if (take_value("--out", argc, argv, &i, &out, &problem)) {
			problem = problem ? problem : take_out(ret, out);
			continue;
		}
		if (take_choice(argc, argv, &i, &ret->selecting, &problem) ||
		        take_value("--by", argc, argv, &i, &by, &problem) ||
		        take_value("--jobs", argc, argv, &i, &jobs, &problem)) {
			continue;
		}
		if (strcmp(arg, "-h") == 0 || strcmp(arg, "--help") == 0) {
			ret->help = true;
			return NULL;
		}
		if (strcmp(arg, "--json") == 0) {
			ret->json = true;
		} else if (arg[0] == '-' && arg[1]) {
			problem = unknown_flag(arg);
		} else {
			ret->dirs[ret->n_dirs++] = arg;
		}
	}
	return problem ? problem : check_options(ret, by, jobs);
}

static int not_enough(const char *what)
{
	fprintf(stderr, "plumbline analyze: %s\n", what);
	return EXIT_NOT_ENOUGH;
}

/* Takes over why, which may be NULL. False: it is. */
static bool is_nothing(char *why)
{
	if (why) {
		(void)not_enough(why);
	}
	free(why);
	return why != NULL;
}

/* What may be concluded from the figures. */
static int conclude(const struct analysis *a, const struct options *options, struct capture *c)
{
	if (a->exchanges == 0 && a->figures.refused > 0) {
		fputs("plumbline analyze: nothing could be read, for the reasons given as "
		      "problems\n",
		        stderr);
		return EXIT_RUNTIME;
	}
	if (a->n_groups == 0 && a->forced.n_groups == 0 &&
	        is_nothing(selecting_nothing(&options->selecting, c, a))) {
		return EXIT_NOT_ENOUGH;
	}
	if (a->exchanges == 0) {
		return not_enough("the capture is empty: no exchange has been recorded yet");
	}
	if (a->n_groups == 0 && a->forced.n_groups > 0) {
		return EXIT_PASS;
	}
	if (a->n_groups == 0 && options->selecting.base) {
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
static int save(const struct options *options, const json_t *document)
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

static int run(struct options *options)
{
	char *error = NULL;
	struct capture *c = capture_open(options->dirs, options->n_dirs, &error);
	if (!c) {
		fprintf(stderr, "plumbline analyze: %s\n", error);
		free(error);
		return EXIT_RUNTIME;
	}
	char *problem = selecting_resolve(&options->selecting, c, &options->analysis);
	if (problem) {
		fprintf(stderr, "plumbline analyze: %s\n", problem);
		free(problem);
		capture_close(c);
		return EXIT_USAGE;
	}
	options->analysis.progress = isatty(STDERR_FILENO) ? stderr : NULL;
	struct analysis a;
	analysis_run(c, &options->analysis, &a);
	const char *const *problems = NULL;
	size_t n_problems = capture_problems(c, &problems);
	json_t *document =
	        options->json || options->n_outs ? report_document(&a, problems, n_problems) : NULL;
	int saved = save(options, document);
	if (options->json) {
		form_write(FORM_JSON, document, stdout);
	} else {
		const char *no_colour = getenv("NO_COLOR");
		const struct report_options report = {
		        .problems = problems,
		        .n_problems = n_problems,
		        .dir = options->dirs[0],
		        .colour = isatty(STDOUT_FILENO) && !(no_colour && *no_colour),
		};
		report_text(&a, &report, stdout);
	}
	json_decref(document);
	int code = saved < 0 ? EXIT_RUNTIME : conclude(&a, options, c);
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
	struct options options = {0};
	char *problem = parse_options(argc, argv, &options);
	int code = EXIT_PASS;
	if (problem) {
		fprintf(stderr, "plumbline analyze: %s\n", problem);
		free(problem);
		code = EXIT_USAGE;
	} else if (options.help) {
		fputs(USAGE, stdout);
	} else {
		code = run(&options);
	}
	free(options.dirs);
	free(options.outs);
	selecting_finish(&options.selecting);
	return code;
}
