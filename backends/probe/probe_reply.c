#include "backends/probe/probe_reply.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/sanitize_text.h"

#define RESULT_SHOWN 160

const struct choice *reply_choice(const struct reply *t)
{
	return t->reading->n_choices ? &t->reading->choices[0] : NULL;
}

const struct columns *reply_columns(const struct reply *t)
{
	const struct choice *c = reply_choice(t);
	return c && c->has_columns && c->columns.n ? &c->columns : NULL;
}

struct span reply_text(const struct reply *t)
{
	const struct choice *c = reply_choice(t);
	return c ? buf_span(&c->text) : (struct span){0};
}

uint32_t reply_most_alternatives(const struct reply *t)
{
	const struct columns *c = reply_columns(t);
	uint32_t most = 0;
	for (uint32_t i = 0; c && i < c->n; i++) {
		most = MAX(most, c->top_end[i] - (i ? c->top_end[i - 1] : 0));
	}
	return most;
}

void reply_finish(struct reply *t)
{
	call_answer_finish(&t->answer);
	reading_destroy(t->reading);
	*t = (struct reply){0};
}

bool reply_is_missing(const struct reply *t)
{
	enum call_end end = t->answer.end;
	return end == CALL_TIMEOUT || end == CALL_STOPPED || end == CALL_REFUSED;
}

bool reply_is_good(const struct reply *t)
{
	return t->answer.end == CALL_DONE && t->answer.status == 200 && t->reading->n_choices &&
	       !t->reading->error;
}

const char *reply_evidence(const struct reply *t)
{
	return arena_printf(t->texts, "%s -> %s", t->request, t->result);
}

const char *reply_evidence_with(const struct reply *t, const char *more, ...)
{
	va_list args;
	va_start(args, more);
	const char *added = arena_vprintf(t->texts, more, args);
	va_end(args);
	return arena_printf(t->texts, "%s -> %s, %s", t->request, t->result, added);
}

static const char *result_text(const struct reply *t)
{
	const struct call_answer *a = &t->answer;
	double s = (double)a->total_us / 1e6;
	int digits = s < 1;
	switch (a->end) {
	case CALL_DONE:
		break;
	case CALL_TIMEOUT:
		return a->body.len ? arena_printf(t->texts,
		                             "an answer that did not end within %.*f s (%zu bytes)",
		                             digits, s, a->body.len)
		                   : arena_printf(t->texts, "no answer within %.*f s", digits, s);
	case CALL_BROKEN:
		return a->status ? arena_printf(t->texts, "%d, and the answer broke off", a->status)
		                 : "the connection was closed without an answer";
	case CALL_TOO_LARGE:
		return arena_printf(
		        t->texts, "%d, and an answer of over %zu bytes", a->status, a->body.len);
	case CALL_REFUSED:
		return "no connection";
	case CALL_STOPPED:
		return "stopped";
	}
	if (a->status == 200 && !t->reading->error) {
		return "200";
	}
	struct span message = t->reading->error ? span_of(t->reading->error) : buf_span(&a->body);
	char *quoted = sanitize_text(message, RESULT_SHOWN);
	const char *result =
	        arena_printf(t->texts, "%d%s%s", a->status, *quoted ? ": " : "", quoted);
	free(quoted);
	return result;
}

void reply_read(struct reply *t, enum endpoint endpoint, const char *body)
{
	const struct call_answer *a = &t->answer;
	struct reading_hints hints = {
	        .endpoint = endpoint,
	        .status = a->status,
	        .framing = framing_of_type(call_header(a, "content-type")),
	        .wants_logprobs = strstr(body, "\"logprobs\""),
	};
	struct reader *r = reader_create(&hints);
	reader_feed(r, buf_span(&a->body).data, a->body.len);
	t->reading = reader_end(r, a->end == CALL_DONE);
	t->result = result_text(t);
}
