#include "analyzer/opinions/grade.h"

#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include "analyzer/opinions/runner_data.h"
#include "base/ascii.h"
#include "base/enum_names.h"
#include "base/json_writer.h"
#include "base/mem.h"

#define START_MS 20000 /* time for the sandbox and Python to start on a busy machine */
#define TEST_OUTPUT ((size_t)1 << 20)
#define READY "ready\n" /* code of the runner before a program */
#define SHOWN 60        /* bytes of an output that are quoted in a sentence */

ENUM_NAMES(grade_name, enum grade_verdict, "right", "wrong", "undecided");

static void put_task(const struct grade_limits *limits, struct span code,
        const struct code_tests *tests, struct buf *to)
{
	struct json_writer w = {.to = to};
	json_writer_open(&w, NULL, '{');
	json_writer_string(&w, "code", code);
	json_writer_text(&w, "function", tests->function);
	json_writer_open(&w, "inputs", '[');
	for (size_t i = 0; i < tests->n; i++) {
		json_writer_text(&w, NULL, tests->items[i].input);
	}
	json_writer_close(&w, "]");
	json_writer_number(&w, "seconds", (double)limits->test_ms / 1000);
	json_writer_count(&w, "bytes", TEST_OUTPUT);
	json_writer_close(&w, "}");
}

/* Why a test failed, as the runner reports it; NULL: it passed. */
static char *failure(const struct code_tests *tests, size_t i, const json_t *reply)
{
	const char *how = json_string_value(json_object_get(reply, "how"));
	const char *output = json_string_value(json_object_get(reply, "output"));
	const char *error = json_string_value(json_object_get(reply, "error"));
	if (!how || !output || !error) {
		return xasprintf("test %zu: the program ended its runner", i + 1);
	}
	if (strcmp(how, "timeout") == 0) {
		return xasprintf("test %zu: the program did not end in time", i + 1);
	}
	if (strcmp(how, "too_much") == 0) {
		return xasprintf("test %zu: the program printed without end", i + 1);
	}
	if (strcmp(how, "returned") != 0) {
		return xasprintf("test %zu: %s", i + 1, *error ? error : "it was killed");
	}
	if (code_tests_match(tests, i, output)) {
		return NULL;
	}
	struct span given = span_trim(span_of(output));
	struct span wanted = span_trim(span_of(tests->items[i].output));
	return xasprintf("test %zu: the program gave %.*s where %.*s is right", i + 1,
	        (int)MIN(given.len, SHOWN), given.data, (int)MIN(wanted.len, SHOWN), wanted.data);
}

/* Counts the results. The runner writes a line for each test that it reached. */
static void count(const struct code_tests *tests, struct span lines, struct grade *ret)
{
	for (size_t i = 0; i < tests->n; i++) {
		struct span line = sandbox_next_line(&lines);
		json_t *reply = json_loadb(line.data, line.len, 0, NULL);
		char *why = failure(tests, i, reply);
		ret->passed += !why;
		if (why && !ret->why) {
			ret->why = why;
		} else {
			free(why);
		}
		json_decref(reply);
	}
	ret->verdict = ret->passed == ret->of ? GRADE_RIGHT : GRADE_WRONG;
}

void grade_run(const struct grade_limits *limits, struct span code, const struct code_tests *tests,
        struct grade *ret)
{
	*ret = (struct grade){.verdict = GRADE_WRONG, .of = tests->n};
	if (span_trim(code).len == 0) {
		ret->why = xstrdup("the answer has no program");
		return;
	}
	const struct sandbox sandbox = {
	        .stopped = limits->stopped,
	        .timeout_ms = START_MS + limits->test_ms * tests->n,
	        .memory = limits->memory,
	        /* JSON writes a byte as six at most. */
	        .output_limit = tests->n * (6 * TEST_OUTPUT + 4096),
	};
	struct buf task = {0};
	struct sandbox_result r;
	put_task(limits, code, tests, &task);
	sandbox_run(&sandbox, RUNNER, buf_span(&task), &r);
	buf_finish(&task);
	struct span reply = buf_span(&r.output);
	if (r.end == SANDBOX_STOPPED || !span_starts(reply, READY)) {
		struct span error = span_trim(buf_span(&r.error));
		ret->verdict = GRADE_UNDECIDED;
		ret->why =
		        xasprintf("the program could not be run: %.*s", (int)error.len, error.data);
	} else {
		count(tests, span_from(reply, strlen(READY)), ret);
	}
	sandbox_result_finish(&r);
}

void grade_finish(struct grade *g)
{
	free(g->why);
	*g = (struct grade){0};
}

void grade_put(const struct grade *g, struct buf *to)
{
	buf_printf(to, "%zu of %zu tests passed", g->passed, g->of);
	if (g->why) {
		buf_printf(to, "; %s", g->why);
	}
	buf_printf(to, ".\n{\"grade\":\"%s\",\"passed\":%zu,\"of\":%zu,\"version\":%d}",
	        grade_name(g->verdict), g->passed, g->of, GRADE_VERSION);
}

bool grade_read(struct span words, enum grade_verdict *ret)
{
	size_t at = words.len;
	while (at > 0 && words.data[at - 1] != '\n') {
		at--;
	}
	json_t *o = json_loadb(words.data + at, words.len - at, 0, NULL);
	const char *name = json_string_value(json_object_get(o, "grade"));
	bool known = json_integer_value(json_object_get(o, "version")) == GRADE_VERSION;
	bool found = false;
	for (size_t i = 0; i < N_GRADES && name && known; i++) {
		if (strcmp(name, grade_name(i)) == 0) {
			*ret = (enum grade_verdict)i;
			found = true;
		}
	}
	json_decref(o);
	return found;
}
