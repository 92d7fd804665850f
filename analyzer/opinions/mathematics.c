#include "analyzer/opinions/mathematics.h"

#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include "analyzer/opinions/mathematics_data.h"
#include "base/ascii.h"
#include "base/json_writer.h"
#include "base/mem.h"
#include "base/utf8.h"

#define START_MS 60000 /* time for the sandbox, Python and SymPy to start on a busy machine */
/* Factor on the processor time of a question; larger than the one that mathematics.py itself
 * allows. */
#define CPU_TIME_FACTOR 5
#define REPLY_LIMIT ((size_t)1024)
#define ATTEMPTS 2 /* without an answer */

/* text that is not UTF-8 is no LaTeX: an empty text, which can't be parsed, replaces it */
static struct span latex_of(struct span text)
{
	return utf8_valid(text) ? text : (struct span){0};
}

static void put_task(const struct mathematics *m, enum mathematics_use use,
        const struct mathematics_question *questions, size_t n, struct buf *to)
{
	struct json_writer w = {.to = to};
	json_writer_open(&w, NULL, '{');
	json_writer_text(&w, "use", use == MATHEMATICS_GOLD ? "gold" : "pair");
	json_writer_number(&w, "seconds", (double)m->question_ms / 1000);
	json_writer_open(&w, "questions", '[');
	for (size_t i = 0; i < n; i++) {
		json_writer_open(&w, NULL, '[');
		json_writer_string(&w, NULL, latex_of(questions[i].first));
		json_writer_string(&w, NULL, latex_of(questions[i].second));
		json_writer_close(&w, "]");
	}
	json_writer_close(&w, "]}");
}

static void run(const struct mathematics *m, enum mathematics_use use,
        const struct mathematics_question *questions, size_t n, struct sandbox_result *ret)
{
	const struct sandbox sandbox = {
	        .python = m->python,
	        .stopped = m->stopped,
	        .timeout_ms = START_MS + CPU_TIME_FACTOR * m->question_ms * n,
	        .memory = m->memory,
	        .output_limit = REPLY_LIMIT * (n + 1),
	};
	struct buf task = {0};
	put_task(m, use, questions, n, &task);
	sandbox_run(&sandbox, MATHEMATICS, buf_span(&task), ret);
	buf_finish(&task);
}

static bool read_reply(struct span line, struct mathematics_reply *ret)
{
	json_t *o = json_loadb(line.data, line.len, 0, NULL);
	const char *why = json_string_value(json_object_get(o, "why"));
	bool good = why && opinion_read(line, &ret->verdict);
	if (good) {
		ret->why = xstrdup(why);
	}
	json_decref(o);
	return good;
}

/* Why a call gave no answer, as far as its result shows. */
static char *failure(const struct sandbox_result *r)
{
	struct span error = span_trim(buf_span(&r->error));
	return r->end == SANDBOX_TIMEOUT ? xstrdup("Math-Verify did not answer in time")
	                                 : xasprintf("Math-Verify could not be run: %.*s",
	                                           (int)error.len, error.data ? error.data : "");
}

size_t mathematics_ask(const struct mathematics *m, enum mathematics_use use,
        const struct mathematics_question *questions, size_t n, struct mathematics_reply *replies,
        char **ret_why)
{
	size_t done = 0;
	bool stopped = false;
	expect(n <= MATHEMATICS_BATCH);
	*ret_why = NULL;
	for (unsigned failed = 0; done < n && failed < ATTEMPTS && !stopped;) {
		struct sandbox_result r;
		size_t before = done;
		run(m, use, questions + done, n - done, &r);
		struct span lines = buf_span(&r.output);
		(void)sandbox_next_line(&lines);
		while (done < n && read_reply(sandbox_next_line(&lines), &replies[done])) {
			done++;
		}
		failed = done == before ? failed + 1 : 0;
		stopped = r.end == SANDBOX_STOPPED;
		free(*ret_why);
		*ret_why = done < n && !stopped ? failure(&r) : NULL;
		sandbox_result_finish(&r);
	}
	return done;
}

void mathematics_reply_finish(struct mathematics_reply *r)
{
	free(r->why);
	*r = (struct mathematics_reply){0};
}

static char *missing(const struct mathematics *m, const char *what)
{
	return xasprintf("%s has no Math-Verify (%s). Install it: python3 -m venv /opt/math-verify "
	                 "&& /opt/math-verify/bin/pip install math-verify antlr4-python3-runtime; "
	                 "then give --python /opt/math-verify/bin/python",
	        m->python ? m->python : "/usr/bin/python3", what);
}

char *mathematics_check(const struct mathematics *m, char **ret_version)
{
	const struct sandbox sandbox = {
	        .python = m->python, .memory = m->memory, .output_limit = 4096};
	char *problem = sandbox_check(&sandbox);
	if (problem) {
		return problem;
	}
	struct sandbox_result r;
	run(m, MATHEMATICS_PAIR, NULL, 0, &r);
	struct span lines = buf_span(&r.output), first = sandbox_next_line(&lines);
	json_t *o = json_loadb(first.data, first.len, 0, NULL);
	const char *without = json_string_value(json_object_get(o, "missing"));
	const char *version = json_string_value(json_object_get(o, "math-verify"));
	const char *sympy = json_string_value(json_object_get(o, "sympy"));
	if (without) {
		problem = missing(m, without);
	} else if (!version || !sympy) {
		problem = failure(&r);
	} else {
		*ret_version = xasprintf("math-verify %s, sympy %s", version, sympy);
	}
	json_decref(o);
	sandbox_result_finish(&r);
	return problem;
}
