/*
 * OpenTelemetry spans with the generative AI conventions, in OTLP's JSON: chats and their answers.
 */
#include <errno.h>

#include "base/json.h"
#include "capture/formats/import_format.h"
#include "capture/formats/otel_span.h"
#include "capture/formats/json_stream.h"
#include "capture/formats/requests.h"
#include "capture/formats/member_writer.h"

/* Reads the next span of a file. False: there are no more. */
static bool next_span(struct json_stream *o, struct json_stream_event *e)
{
	do {
		json_stream_next(o, e);
	} while (e->type != JSON_STREAM_END && e->type != JSON_STREAM_ERROR &&
	         e->type != JSON_STREAM_DAMAGED && !(e->type == JSON_STREAM_VALUE && !e->key.len));
	return e->type == JSON_STREAM_VALUE || e->type == JSON_STREAM_DAMAGED;
}

static struct json_stream *outline_of(FILE *file)
{
	static const struct json_stream_rule RULES[] = {
	        {NULL, false}, {"resourceSpans", true}, {"scopeSpans", true}, {"spans", false}};
	struct json_stream *o = json_stream_create(file, RULES, ARRAY_LEN(RULES));
	json_stream_allow_many(o);
	json_stream_allow_gaps(o);
	return o;
}

static const char *read_span(struct otel_span *s, const struct json_stream_event *e, bool *ret_bad,
        const char **ret_unanswered)
{
	*ret_bad = true;
	return e->type == JSON_STREAM_DAMAGED ? e->why
	       : e->too_long                  ? "it is longer than 64 MiB"
	                     : otel_span_read(s, e->value, ret_bad, ret_unanswered);
}

static void put_request(const struct otel_span *s, struct buf *to)
{
	buf_clear(to);
	buf_append_str(to, s->prompt.len ? "{\"prompt\":" : "{\"messages\":");
	buf_append_span(to, buf_span(s->prompt.len ? &s->prompt : &s->messages));
	member_json(to, "model", buf_span(&s->model));
	if (s->parameters.len) {
		buf_append_char(to, ',');
		buf_append_span(to, buf_span(&s->parameters));
	}
	buf_append_char(to, '}');
}

static int read_requests(const struct request_file *f, const struct request_sink *sink)
{
	struct otel_span s = {0};
	struct buf body = {0};
	struct json_stream *o = outline_of(f->file);
	struct json_stream_event e;
	while (next_span(o, &e)) {
		const char *unanswered;
		bool bad;
		const char *why = read_span(&s, &e, &bad, &unanswered);
		if (why && bad) {
			sink->bad(sink->arg, e.line, why);
		} else if (why) {
			sink->unfit(sink->arg, s.is_other ? 0 : e.line, why);
		} else {
			put_request(&s, &body);
			sink->request(
			        sink->arg, &(struct request_found){
			                           .body = buf_span(&body),
			                           .target = s.prompt.len ? REQUESTS_COMPLETION
			                                                  : REQUESTS_CHAT,
			                           .wall_ns = s.start_ns,
			                           .line = e.line,
			                   });
		}
	}
	if (e.type == JSON_STREAM_ERROR) {
		sink->bad(sink->arg, e.line, e.why);
	}
	json_stream_destroy(o);
	buf_finish(&body);
	otel_span_finish(&s);
	return ferror(f->file) ? -EIO : 0;
}

static void give_answer(const struct otel_span *s, const struct import_file *f,
        const struct import_sink *sink, const struct json_stream_event *e)
{
	const struct imported_answer a = {
	        .prompt = buf_span(s->prompt.len ? &s->prompt : &s->messages),
	        .is_messages = s->prompt.len == 0,
	        .is_completion = s->prompt.len > 0,
	        .backend = f->backend,
	        .role = f->role,
	        .model = buf_span(&s->model),
	        .parameters = buf_span(&s->parameters),
	        .text = buf_span(&s->text),
	        .reasoning = buf_span(&s->reasoning),
	        .calls = buf_span(&s->calls),
	        .finish = buf_span(&s->finish),
	        .usage = buf_span(&s->usage),
	        .named = buf_span(&s->named),
	        .outcome = s->failed ? OUTCOME_BROKEN : OUTCOME_COMPLETE,
	        .start_ns = s->start_ns ? s->start_ns : f->time_ns,
	        .took_us = s->took_us,
	        .identity = s->id.len ? buf_span(&s->id) : e->value,
	        .format = "otel",
	        .file = f->name,
	        .line = e->line,
	        .origin = e->value,
	};
	if (s->several) {
		sink->note(sink->arg, "it has several answers: the first alone");
	}
	if (s->odd) {
		sink->note(sink->arg, "a parameter has a value that it can't have: it is left out");
	}
	sink->answer(sink->arg, &a);
}

static int read_answers(const struct import_file *f, const struct import_sink *sink)
{
	struct otel_span s = {0};
	struct json_stream *o = outline_of(f->file);
	struct json_stream_event e = {0};
	while (!sink->stopped(sink->arg) && next_span(o, &e)) {
		const char *unanswered = NULL;
		bool bad;
		const char *why = read_span(&s, &e, &bad, &unanswered);
		if (why && bad) {
			sink->bad(sink->arg, e.line, why);
		} else if (why || unanswered) {
			sink->unfit(sink->arg, s.is_other ? 0 : e.line, why ? why : unanswered);
		} else {
			give_answer(&s, f, sink, &e);
		}
		sink->progress(sink->arg);
	}
	if (e.type == JSON_STREAM_ERROR) {
		sink->bad(sink->arg, e.line, e.why);
	}
	json_stream_destroy(o);
	otel_span_finish(&s);
	return ferror(f->file) ? -EIO : 0;
}

static bool fits(const struct sniff *s)
{
	return sniff_has(s, 1, "resourceSpans") ||
	       (sniff_has(s, 1, "spans") && sniff_has(s, 3, "attributes"));
}

const struct request_format requests_otel = {
        .name = "otel",
        .title = "OpenTelemetry's spans of generative AI (OTLP JSON)",
        .fits = fits,
        .read = read_requests,
};

const struct import_format import_format_otel = {
        .name = "otel",
        .title = "OpenTelemetry's spans of generative AI (OTLP JSON): chats and what was answered",
        .fits = fits,
        .read = read_answers,
};
