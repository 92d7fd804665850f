/*
 * plumbline grade - runs the programs in answers against the tests of their tasks.
 */
#include <inttypes.h>

#include "analyzer/annotate/grade_answers.h"
#include "base/plural.h"
#include "base/terminal.h"
#include "cli/commands.h"
#include "cli/opinions/opinion_run.h"
#include "cli/verb.h"

#define DEFAULT_TEST_MS UINT64_C(10000)
#define DEFAULT_MEMORY_MB 1024

struct run {
	/* Options; also: `to` of run; concurrency, limit and the Python of job. */
	uint64_t time_ns; /* 0: the defaults */
	uint64_t memory_mb;
	bool dry_run, json;
	/* The state. */
	struct opinion_run run;
	struct grade_job job;
};

static const struct option_row OPTIONS[] = {
        {"time-limit", 0, "TIME",
                "stop a test after this time (10s), a mathematical value after 5s",
                OPT_DURATION(struct run, time_ns, 1)},
        {"memory-limit", 0, "N", "memory limit of each process, in megabytes (1024)",
                OPT_NUMBER(struct run, memory_mb, 64, 1 << 20)},
        {"python", 0, "FILE",
                "use this Python, which has Math-Verify, for mathematical values "
                "(/usr/bin/python3)",
                OPT_TEXT(struct run, job.library.mathematics.python)},
        {"concurrency", 0, "N", "run N programs at a time (one for each processor)",
                OPT_NUMBER(struct run, job.concurrency, 1, ANNOTATOR_WORKERS)},
        {"limit", 0, "N", "grade at most N choices of answers now",
                OPT_NUMBER(struct run, job.limit, 1, UINT64_MAX)},
        {"dry-run", 0, NULL, "run nothing; print the number of answers to grade",
                OPT_BOOL(struct run, dry_run)},
        {"capture", 0, "OTHERDIR", "record in this capture instead of DIR",
                OPT_TEXT(struct run, run.to)},
        {"json", 0, NULL, "print the summary as JSON", OPT_BOOL(struct run, json)},
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

static void print_text(const struct run *r)
{
	struct terminal_text text;
	FILE *to = terminal_begin(&text);
	const struct grade_job *j = &r->job;
	uint64_t right = j->graded[GRADE_RIGHT], done = right + j->graded[GRADE_WRONG];
	if (j->wanted + j->already + j->tally.unable.total == 0) {
		fprintf(to, "None of the %" PRIu64 " %s can be graded. ", j->answers,
		        plural(j->answers, "answer", "answers"));
		fputs("plumbline grade needs tasks whose right answer is a list of tests (the "
		      "suite code, LiveCodeBench) or a mathematical value (the suite mathematics, "
		      "MATH, AIME). plumbline analyze checks other right answers without a grade",
		        to);
	} else if (r->dry_run) {
		fprintf(to, "%" PRIu64 " %s can be graded; nothing was run", j->wanted,
		        plural(j->wanted, "answer", "answers"));
	} else {
		fprintf(to, "%" PRIu64 " %s graded", done, plural(done, "answer", "answers"));
		opinion_run_print_time(&j->tally, to);
		fprintf(to, ": %" PRIu64 " right", right);
	}
	if (j->graded[GRADE_UNDECIDED] > 0) {
		fprintf(to, "; %" PRIu64 " undecided", j->graded[GRADE_UNDECIDED]);
	}
	if (j->already > 0) {
		fprintf(to, "; %" PRIu64 " had been graded before", j->already);
	}
	fputs(".\n", to);
	opinion_run_print_reasons(&j->failing, "program", "wrong", to);
	opinion_run_print_reasons(&j->tally.unable, "answer", "not graded", to);
	opinion_run_print_reasons(&j->tally.failed, "answer", "could not be graded", to);
	opinion_run_print_end(&r->run, &j->tally, "grade", "grades", to);
	terminal_end(&text, stdout);
	if (!j->tally.stopped && !r->dry_run && done + j->already > 0) {
		opinion_run_print_command(r->run.dir, r->run.to, j->base, j->test, stdout);
	}
}

static void print_json(const struct run *r)
{
	const struct grade_job *j = &r->job;
	struct buf text = {0};
	struct json_writer w = {.to = &text};
	json_writer_open(&w, NULL, '{');
	json_writer_count(&w, "plumbline_grade", 1);
	json_writer_text(&w, "capture", r->run.dir);
	json_writer_count(&w, "version", GRADE_VERSION);
	json_writer_count(&w, "wanted", j->wanted);
	json_writer_count(&w, "already", j->already);
	json_writer_count(&w, "right", j->graded[GRADE_RIGHT]);
	json_writer_count(&w, "wrong", j->graded[GRADE_WRONG]);
	json_writer_count(&w, "undecided", j->graded[GRADE_UNDECIDED]);
	error_tally_json(&j->failing, "wrong_by", &w);
	error_tally_json(&j->tally.unable, "not_graded", &w);
	error_tally_json(&j->tally.failed, "failed", &w);
	json_writer_count(&w, "seconds", j->tally.seconds);
	json_writer_count(&w, "lost", r->run.lost);
	json_writer_bool(&w, "stopped", j->tally.stopped);
	opinion_run_print_json(&w, stdout);
}

/* NULL, or why the answers cannot be graded on this machine. */
static char *check_tools(struct grade_job *j)
{
	const struct sandbox sandbox = {.memory = j->limits.memory, .output_limit = 4096};
	char *error = j->n_programs ? sandbox_check(&sandbox) : NULL;
	return !error && j->values.n > 0
	               ? mathematics_check(&j->library.mathematics, &j->library.version)
	               : error;
}

static int work(struct run *r)
{
	struct grade_job *j = &r->job;
	char *error = check_tools(j);
	int code = error ? verb_fail("grade", EXIT_RUNTIME, error)
	                 : opinion_run_begin_segment(&r->run, "{\"grade\":{}}", "grades");
	if (code != EXIT_PASS) {
		return code;
	}
	j->to = &r->run.recording;
	error = j->n_programs > 0 ? grade_programs(j) : NULL;
	if (!error && j->values.n > 0 && !j->tally.stopped) {
		error = grade_values(j);
	}
	return opinion_run_end_segment(&r->run, error);
}

static int conclude(const struct run *r)
{
	const struct grade_job *j = &r->job;
	(r->json ? print_json : print_text)(r);
	return verb_flush("grade", opinion_run_is_unfinished(&r->run, &j->tally) ? EXIT_RUNTIME
	                           : j->wanted + j->already == 0                 ? EXIT_NOT_ENOUGH
	                                                                         : EXIT_PASS);
}

static int run(struct run *r)
{
	const uint64_t given_ms = r->time_ns ? MAX(r->time_ns / 1000000, 1) : 0;
	struct grade_job *j = &r->job;
	j->limits.test_ms = given_ms ? given_ms : DEFAULT_TEST_MS;
	j->library.mathematics.question_ms = given_ms ? given_ms : MATHEMATICS_QUESTION_MS;
	j->limits.memory = j->library.mathematics.memory = r->memory_mb << 20;
	int code = opinion_run_open(&r->run);
	if (code == EXIT_PASS) {
		j->capture = r->run.capture;
		grade_list(j);
		code = j->wanted > 0 && !r->dry_run ? work(r) : EXIT_PASS;
	}
	if (code == EXIT_PASS) {
		code = conclude(r);
	}
	grade_job_finish(j);
	opinion_run_close(&r->run);
	return code;
}

int command_grade(int argc, char **argv)
{
	struct run r = {
	        .run.verb = "grade",
	        .job = {.concurrency = annotator_processors(), .limit = UINT64_MAX},
	        .memory_mb = DEFAULT_MEMORY_MB,
	};
	int code;
	return verb_read_dir(&GRADE, argc, argv, &r, &r.run.dir, &code) ? run(&r) : code;
}
