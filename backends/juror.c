#include "backends/juror.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>

#include "base/clock.h"
#include "base/mem.h"
#include "answers/flaw.h"

#define BUSY_TRIES 4
#define BUSY_PAUSE_MS 500 /* doubled each time */
#define SAID_LIMIT 200    /* bytes of an engine's own words */
#define REPLY_LIMIT ((size_t)16 << 20)

struct juror {
	struct juror_settings settings;
	struct call_line *line;
	atomic_bool stopped;
	bool with_schema; /* until the engine has refused it */
};

struct juror *juror_create(const struct juror_settings *s, char **ret_error)
{
	struct call_line *line = call_line_create(&s->line, ret_error);
	if (!line) {
		return NULL;
	}
	struct juror *j = xcalloc(1, sizeof(*j));
	j->settings = *s;
	j->line = line;
	j->with_schema = opinion_may_use_schema(s->dialect);
	atomic_init(&j->stopped, false);
	return j;
}

void juror_destroy(struct juror *j)
{
	if (j) {
		call_line_destroy(j->line);
		free(j);
	}
}

void juror_stop(struct juror *j)
{
	atomic_store(&j->stopped, true);
	call_line_stop(j->line);
}

/* Sleeps in short steps, so that a stop is noticed soon. */
static void pause_ms(struct juror *j, unsigned ms)
{
	const struct timespec nap = {.tv_nsec = 50000000};
	for (unsigned slept = 0; slept < ms && !atomic_load(&j->stopped); slept += 50) {
		nanosleep(&nap, NULL);
	}
}

static bool is_busy(const struct call_answer *a)
{
	return a->end == CALL_DONE && (a->status == 429 || a->status == 503);
}

/* Calls the engine, and retries after a pause while the engine is busy. */
static void send(struct juror *j, struct juror_reply *r)
{
	const struct call call = {
	        .path = "v1/chat/completions",
	        .body = buf_span(&r->request),
	        .timeout_ms = j->settings.timeout_ms,
	        .limit = REPLY_LIMIT,
	};
	r->start_ns = clock_wall();
	call_do(j->line, &call, &r->answer);
	for (unsigned i = 0; i + 1 < BUSY_TRIES && is_busy(&r->answer); i++) {
		call_answer_finish(&r->answer);
		pause_ms(j, BUSY_PAUSE_MS << i);
		r->start_ns = clock_wall();
		call_do(j->line, &call, &r->answer);
	}
}

static struct reading *read_answer(const struct call_answer *a)
{
	const struct reading_hints hints = {
	        .endpoint = ENDPOINT_CHAT,
	        .status = a->status,
	        .framing = FRAMING_UNARY,
	        .limit = REPLY_LIMIT,
	};
	struct reader *r = reader_create(&hints);
	reader_feed(r, a->body.data, a->body.len);
	return reader_end(r, true);
}

static void fail(
        struct juror_reply *r, enum juror_end end, const char *problem, const char *otherwise)
{
	r->end = end;
	r->why = xstrdup(problem ? problem : otherwise);
}

/* Handles an answer that is not 200 or has no choice. */
static void refuse(struct juror_reply *r, const struct reading *reading)
{
	const char *said = reading->error ? reading->error : "";
	size_t n = 0;
	while (said[n] && n < SAID_LIMIT && (unsigned char)said[n] >= ' ') {
		n++;
	}
	r->end = JUROR_FAILED;
	r->why = r->answer.status == 200 ? xstrdup("the engine's answer is no chat completion")
	                                 : xasprintf("the engine answered %d%s%.*s",
	                                           r->answer.status, n ? ": " : "", (int)n, said);
}

static void conclude(struct juror_reply *r)
{
	const struct call_answer *a = &r->answer;
	if (a->end == CALL_STOPPED) {
		fail(r, JUROR_STOPPED, NULL, "stopped");
	} else if (a->end == CALL_REFUSED) {
		fail(r, JUROR_GONE, a->problem, "the engine can't be reached");
	} else if (a->end == CALL_TIMEOUT) {
		fail(r, JUROR_FAILED, NULL, "the engine did not answer in time");
	} else if (a->end != CALL_DONE) {
		fail(r, JUROR_FAILED, a->problem, "the engine broke off its answer");
	} else {
		struct reading *reading = read_answer(a);
		bool whole = flaw_of_marks(reading->marks) == FLAW_NONE;
		if (a->status == 200 && whole && reading->n_choices > 0) {
			struct buf text = {0};
			choice_answer(&reading->choices[0], &text);
			r->end = JUROR_DONE;
			r->clear = opinion_read(buf_span(&text), &r->opinion);
			buf_finish(&text);
		} else {
			refuse(r, reading);
		}
		reading_destroy(reading);
	}
}

static void try(struct juror *j, const struct opinion_question *q, struct juror_reply *r)
{
	*r = (struct juror_reply){0};
	opinion_put(q, &r->request);
	send(j, r);
	conclude(r);
}

void juror_ask(struct juror *j, struct span request, struct span first, struct span second,
        struct juror_reply *ret)
{
	struct opinion_question q = {
	        .dialect = j->settings.dialect,
	        .model = j->settings.model,
	        .request = request,
	        .first = first,
	        .second = second,
	        .with_schema = j->with_schema,
	        .max_tokens = j->settings.max_tokens,
	};
	opinion_code(&q);
	try(j, &q, ret);
	int status = ret->answer.status;
	bool refused = ret->end == JUROR_FAILED && ret->answer.end == CALL_DONE &&
	               (status == 400 || status == 422 || status == 500 || status == 501);
	if (!q.with_schema || !refused) {
		return;
	}
	struct juror_reply plain;
	q.with_schema = false;
	try(j, &q, &plain);
	if (plain.end == JUROR_DONE || plain.end == JUROR_STOPPED) {
		j->with_schema = plain.end != JUROR_DONE;
		juror_reply_finish(ret);
		*ret = plain;
	} else {
		juror_reply_finish(&plain);
	}
}

void juror_reply_finish(struct juror_reply *r)
{
	free(r->why);
	buf_finish(&r->request);
	call_answer_finish(&r->answer);
	*r = (struct juror_reply){0};
}
