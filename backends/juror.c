#include "backends/juror.h"

#include <stdlib.h>

#include "base/clock.h"
#include "base/mem.h"
#include "answers/flaw.h"

#define REPLY_LIMIT ((size_t)16 << 20)

struct juror {
	struct juror_settings settings;
	struct call_line *line;
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
	call_line_stop(j->line);
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

static void conclude(struct juror_reply *r)
{
	static const enum juror_end ENDS[] = {
	        [CALL_STOPPED] = JUROR_STOPPED,
	        [CALL_REFUSED] = JUROR_GONE,
	        [CALL_TIMEOUT] = JUROR_FAILED,
	        [CALL_BROKEN] = JUROR_FAILED,
	        [CALL_TOO_LARGE] = JUROR_FAILED,
	};
	const struct call_answer *a = &r->answer;
	if (a->end != CALL_DONE) {
		r->end = ENDS[a->end];
		r->why = call_failure(a, NULL);
		return;
	}
	struct reading *reading = read_answer(a);
	bool whole = flaw_of_marks(reading->marks) == FLAW_NONE;
	if (a->status == 200 && whole && reading->n_choices > 0) {
		struct buf text = {0};
		choice_answer(&reading->choices[0], &text);
		r->end = JUROR_DONE;
		r->clear = opinion_read(buf_span(&text), &r->opinion);
		buf_finish(&text);
	} else {
		r->end = JUROR_FAILED;
		r->why = a->status == 200 ? xstrdup("the engine's answer is no chat completion")
		                          : call_failure(a, reading->error);
	}
	reading_destroy(reading);
}

static void try(struct juror *j, const struct opinion_question *q, struct juror_reply *r)
{
	*r = (struct juror_reply){0};
	opinion_put(q, &r->request);
	const struct call call = {
	        .path = "v1/chat/completions",
	        .body = buf_span(&r->request),
	        .timeout_ms = j->settings.timeout_ms,
	        .limit = REPLY_LIMIT,
	};
	r->start_ns = clock_wall();
	call_do_patiently(j->line, &call, &r->answer);
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
