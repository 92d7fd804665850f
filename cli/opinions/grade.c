/*
 * plumbline grade - runs the programs in answers against the tests of their tasks.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include <jansson.h>

#include "base/quoted.h"
#include "analyzer/report/node.h"
#include "cli/opinions/annotation_store.h"
#include "cli/opinions/opinion_report.h"
#include "cli/commands.h"
#include "cli/verb.h"
#include "cli/opinions/worker_threads.h"
#include "cli/opinions/grade_mathematics.h"
#include "cli/opinions/grade_work.h"
#include "base/options.h"
#include "base/plural.h"
#include "base/terminal.h"

#define DEFAULT_TEST_MS UINT64_C(10000)
#define DEFAULT_MEMORY_MB 1024

struct options {
	const char *dir, *capture, *python;
	uint64_t limit, time_ns, memory_mb, concurrency; /* time_ns: 0 for the defaults */
	bool dry_run, json;
};

static const struct option_row OPTIONS[] = {
        {"time-limit", 0, "TIME",
                "stop a test after this time (10s), a mathematical value after 5s",
                OPT_DURATION(struct options, time_ns, 1)},
        {"memory-limit", 0, "N", "memory limit of each process, in megabytes (1024)",
                OPT_NUMBER(struct options, memory_mb, 64, 1 << 20)},
        {"python", 0, "FILE",
                "use this Python, which has Math-Verify, for mathematical values "
                "(/usr/bin/python3)",
                OPT_TEXT(struct options, python)},
        {"concurrency", 0, "N", "run N programs at a time (one for each processor)",
                OPT_NUMBER(struct options, concurrency, 1, WORKER_THREADS_LIMIT)},
        {"limit", 0, "N", "grade at most N answers now",
                OPT_NUMBER(struct options, limit, 1, UINT64_MAX)},
        {"dry-run", 0, NULL, "run nothing; print the number of answers to grade",
                OPT_BOOL(struct options, dry_run)},
        {"capture", 0, "OTHERDIR", "record in this capture instead of DIR",
                OPT_TEXT(struct options, capture)},
        {"json", 0, NULL, "print the summary as JSON", OPT_BOOL(struct options, json)},
        OPT_END,
};

static const struct verb GRADE = {
        .name = "grade",
        .usage = "DIR [options]",
        .about =
                "Runs the Python programs of recorded answers against the tests of their tasks: "
                "the suite code, LiveCodeBench. Compares mathematical values with the right ones "
                "by the library Math-Verify: the suite mathematics, MATH, AIME. Both run under "
                "bubblewrap without network, files or access to other processes, within limits of "
                "time and memory. Grades are recorded in the capture; plumbline analyze DIR counts "
                "them as right and wrong answers. An answer that has a grade is not graded again.",
        .options = OPTIONS,
        .examples = "plumbline replay configs/suites/code.jsonl --to http://127.0.0.1:8000 \\\n"
                    "    --capture new\n"
                    "plumbline grade new\n"
                    "plumbline analyze new",
        .exit_codes = "0 all have grades, 2 command line, 3 some could not be run (run the command "
                      "again), 4 there is nothing to grade",
};

static void print_text(
        const struct options *o, const struct grade_tally *t, uint64_t lost, FILE *screen)
{
	struct terminal_text text;
	FILE *to = terminal_begin(&text);
	uint64_t right = t->graded[GRADE_RIGHT], done = right + t->graded[GRADE_WRONG];
	if (t->wanted + t->already == 0) {
		fprintf(to, "None of the %" PRIu64 " %s can be graded. ", t->answers,
		        plural(t->answers, "answer", "answers"));
		fputs("plumbline grade needs tasks whose right answer is a list of tests (the "
		      "suite code, LiveCodeBench) or a mathematical value (the suite mathematics, "
		      "MATH, AIME). plumbline analyze checks other right answers without a grade",
		        to);
	} else if (o->dry_run) {
		fprintf(to, "%" PRIu64 " %s can be graded; nothing was run", t->wanted,
		        plural(t->wanted, "answer", "answers"));
	} else {
		fprintf(to, "%" PRIu64 " %s graded", done, plural(done, "answer", "answers"));
		opinion_report_print_time(t->seconds, to);
		fprintf(to, ": %" PRIu64 " right", right);
	}
	if (t->graded[GRADE_UNDECIDED] > 0) {
		fprintf(to, "; %" PRIu64 " undecided", t->graded[GRADE_UNDECIDED]);
	}
	if (t->already > 0) {
		fprintf(to, "; %" PRIu64 " had been graded before", t->already);
	}
	fputs(".\n", to);
	opinion_report_print(&t->failing, "program", "wrong", to);
	opinion_report_print(&t->unfit, "answer", "not graded", to);
	opinion_report_print(&t->failed, "answer", "could not be graded", to);
	if (lost > 0) {
		fprintf(to, "%" PRIu64 " %s could not be written to the capture.\n", lost,
		        plural(lost, "grade", "grades"));
	}
	if (t->stopped) {
		fputs("Stopped. The grades so far are recorded; run the same command to "
		      "continue.\n",
		        to);
	}
	terminal_end(&text, screen);
	if (!t->stopped && !o->dry_run && done + t->already > 0) {
		annotation_print_command(o->dir, o->capture, t->base, t->test, screen);
	}
}

static void print_json(
        const struct options *o, const struct grade_tally *t, uint64_t lost, FILE *to)
{
	json_t *root = json_object();
	node_set_count(root, "plumbline_grade", 1);
	json_object_set_new(root, "capture", quoted(o->dir));
	node_set_count(root, "version", GRADE_VERSION);
	node_set_count(root, "wanted", t->wanted);
	node_set_count(root, "already", t->already);
	node_set_count(root, "right", t->graded[GRADE_RIGHT]);
	node_set_count(root, "wrong", t->graded[GRADE_WRONG]);
	node_set_count(root, "undecided", t->graded[GRADE_UNDECIDED]);
	json_object_set_new(root, "wrong_by", opinion_report_reasons(&t->failing));
	json_object_set_new(root, "not_graded", opinion_report_reasons(&t->unfit));
	json_object_set_new(root, "failed", opinion_report_reasons(&t->failed));
	node_set_count(root, "seconds", t->seconds);
	node_set_count(root, "lost", lost);
	node_set_flag(root, "stopped", t->stopped);
	opinion_report_write(root, to);
}

/* The state of one run. */
struct run {
	const struct options *o;
	struct capture *capture;
	struct grade_options options;
	struct mathematics_tasks values;
	struct mathematics_job mathematics;
	char *version; /* of the library; NULL: it is not needed */
	struct grade_tally tally;
	uint64_t programs, lost;
};

/* Grades the answers. Returns an exit code. */
static int work(struct run *r)
{
	struct recording to = {0};
	const struct sandbox sandbox = {.memory = r->options.limits.memory, .output_limit = 4096};
	char *error = r->programs ? sandbox_check(&sandbox) : NULL;
	if (!error && r->values.n > 0) {
		error = mathematics_check(&r->mathematics.library, &r->version);
	}
	if (!error) {
		error = annotation_open(r->o->dir, r->o->capture, "{\"grade\":{}}", "grades", &to);
	}
	if (error) {
		return verb_fail("grade", EXIT_RUNTIME, error);
	}
	r->options.to = &to;
	if (r->programs > 0) {
		grade_work(r->capture, &r->options, &r->tally);
	}
	if (r->values.n > 0 && !r->tally.stopped) {
		r->mathematics.version = r->version;
		r->mathematics.to = &to;
		grade_mathematics(&r->values, r->mathematics, &r->tally);
	}
	r->lost = recording_close(&to);
	return EXIT_PASS;
}

static int conclude(const struct options *o, const struct grade_tally *t, uint64_t lost)
{
	(o->json ? print_json : print_text)(o, t, lost, stdout);
	int code = t->failed.total > 0 || t->stopped || lost > 0 ? EXIT_RUNTIME
	           : t->wanted + t->already == 0                 ? EXIT_NOT_ENOUGH
	                                                         : EXIT_PASS;
	return verb_flush("grade", code);
}

static int run(const struct options *o)
{
	const uint64_t given_ms = o->time_ns ? MAX(o->time_ns / 1000000, 1) : 0;
	const uint64_t memory = o->memory_mb << 20;
	struct run r = {
	        .o = o,
	        .options = {.limits = {.test_ms = given_ms ? given_ms : DEFAULT_TEST_MS,
	                            .memory = memory},
	                .concurrency = (unsigned)o->concurrency,
	                .limit = o->limit},
	        .mathematics = {.library = {.python = o->python,
	                                .question_ms =
	                                        given_ms ? given_ms : MATHEMATICS_QUESTION_MS,
	                                .memory = memory},
	                .concurrency = (unsigned)o->concurrency},
	};
	char *error = NULL;
	r.capture = annotation_capture("grade", o->dir, o->capture, &error);
	if (!r.capture) {
		return verb_fail("grade", EXIT_USAGE, error);
	}
	grade_count(r.capture, &r.options, &r.tally);
	r.programs = r.tally.wanted;
	grade_mathematics_find(r.capture, o->limit - r.programs, &r.values, &r.tally);
	int code = EXIT_PASS;
	if (r.tally.wanted > 0 && !o->dry_run) {
		code = work(&r);
	}
	if (code == EXIT_PASS) {
		code = conclude(o, &r.tally, r.lost);
	}
	grade_tally_finish(&r.tally);
	mathematics_tasks_finish(&r.values);
	free(r.version);
	capture_close(r.capture);
	return code;
}

int command_grade(int argc, char **argv)
{
	struct options o = {
	        .limit = UINT64_MAX,
	        .memory_mb = DEFAULT_MEMORY_MB,
	        .concurrency = worker_threads_processors(),
	};
	int code;
	return verb_read_dir(&GRADE, argc, argv, &o, &o.dir, &code) ? run(&o) : code;
}
