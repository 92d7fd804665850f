#include "backends/judge_client.h"

#include <stdlib.h>

#include "base/clock.h"
#include "base/mem.h"
#include "answers/flaw.h"

#define REPLY_LIMIT ((size_t)16 << 20)

struct judge_client {
	struct judge_client_settings settings;
	struct call_line *line;
	bool with_schema; /* false after the engine refused the schema */
};

struct judge_client *judge_client_create(const struct judge_client_settings *s, char **ret_error)
{
	struct call_line *line = call_line_create(&s->line, ret_error);
	if (!line) {
		return NULL;
	}
	struct judge_client *j = xcalloc(1, sizeof(*j));
	j->settings = *s;
	j->line = line;
	j->with_schema = opinion_may_use_schema(s->dialect);
	return j;
}

void judge_client_destroy(struct judge_client *j)
{
	if (j) {
		call_line_destroy(j->line);
		free(j);
	}
}

void judge_client_stop(struct judge_client *j)
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

static void conclude(struct judge_client_reply *r)
{
	const struct call_answer *a = &r->answer;
	if (a->end != CALL_DONE) {
		r->end = question_end_of_call(a->end);
		r->why = call_failure(a, NULL);
		return;
	}
	struct reading *reading = read_answer(a);
	bool whole = flaw_of_marks(reading->marks) == FLAW_NONE;
	if (a->status == 200 && whole && reading->n_choices > 0) {
		struct buf text = {0};
		choice_answer(&reading->choices[0], &text);
		r->end = QUESTION_DONE;
		r->clear = opinion_read(buf_span(&text), &r->opinion);
		buf_finish(&text);
	} else {
		r->end = QUESTION_FAILED;
		r->why = a->status == 200 ? xstrdup("the engine's answer is not a chat completion")
		                          : call_failure(a, reading->error);
	}
	reading_destroy(reading);
}

static void ask_once(
        struct judge_client *j, const struct opinion_question *q, struct judge_client_reply *r)
{
	*r = (struct judge_client_reply){0};
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

void judge_client_ask(struct judge_client *j, struct span request, struct span first,
        struct span second, struct judge_client_reply *ret)
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
	ask_once(j, &q, ret);
	int status = ret->answer.status;
	bool refused = ret->end == QUESTION_FAILED && ret->answer.end == CALL_DONE &&
	               (status == 400 || status == 422 || status == 500 || status == 501);
	if (!q.with_schema || !refused) {
		return;
	}
	struct judge_client_reply plain;
	q.with_schema = false;
	ask_once(j, &q, &plain);
	if (plain.end == QUESTION_DONE || plain.end == QUESTION_STOPPED) {
		j->with_schema = plain.end != QUESTION_DONE;
		judge_client_reply_finish(ret);
		*ret = plain;
	} else {
		judge_client_reply_finish(&plain);
	}
}

void judge_client_reply_finish(struct judge_client_reply *r)
{
	free(r->why);
	buf_finish(&r->request);
	call_answer_finish(&r->answer);
	*r = (struct judge_client_reply){0};
}
