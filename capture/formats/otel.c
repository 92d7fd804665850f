/*
 * OpenTelemetry spans with the generative AI conventions, in OTLP's JSON: chats and their answers.
 */
#include "base/json_writer.h"
#include "capture/formats/otel_span.h"
#include "capture/formats/request_format.h"

struct reader {
	const struct format_file *file;
	const struct format_sink *sink;
	struct otel_span span;
	struct buf body;
};

static void deliver_request(struct reader *r, uint64_t line)
{
	const struct otel_span *s = &r->span;
	struct buf *to = &r->body;
	struct json_writer w = {.to = to};
	buf_clear(to);
	json_writer_open(&w, NULL, '{');
	json_writer_raw(&w, "prompt", buf_span(&s->prompt));
	json_writer_raw(&w, "messages", buf_span(&s->messages));
	json_writer_raw(&w, "model", buf_span(&s->model));
	json_writer_raw(&w, NULL, buf_span(&s->parameters)); /* members */
	json_writer_close(&w, "}");
	const struct request_found found = {
	        .body = buf_span(to),
	        .target = s->prompt.len ? REQUEST_COMPLETION : REQUEST_CHAT,
	        .wall_ns = s->start_ns,
	        .line = line,
	};
	r->sink->request(r->sink->arg, &found);
}

static void deliver_answer(struct reader *r, struct span origin, uint64_t line)
{
	const struct otel_span *s = &r->span;
	const struct imported_answer a = {
	        .prompt = buf_span(s->prompt.len ? &s->prompt : &s->messages),
	        .is_messages = s->prompt.len == 0,
	        .is_completion = s->prompt.len > 0,
	        .backend = r->file->backend,
	        .role = r->file->role,
	        .model = buf_span(&s->model),
	        .parameters = buf_span(&s->parameters),
	        .text = buf_span(&s->text),
	        .reasoning = buf_span(&s->reasoning),
	        .calls = buf_span(&s->calls),
	        .finish = buf_span(&s->finish),
	        .usage = buf_span(&s->usage),
	        .named = buf_span(&s->named),
	        .outcome = s->failed ? OUTCOME_BROKEN : OUTCOME_COMPLETE,
	        .start_ns = s->start_ns ? s->start_ns : r->file->time_ns,
	        .took_us = s->took_us,
	        .identity = s->id.len ? buf_span(&s->id) : origin,
	        .format = "otel",
	        .file = r->file->name,
	        .line = line,
	        .origin = origin,
	};
	if (s->several) {
		format_note(r->sink, "it has several answers; only the first is imported");
	}
	if (s->parameter_dropped) {
		format_note(r->sink, "a parameter has an invalid value and is left out");
	}
	r->sink->answer(r->sink->arg, &a);
}

static const char *take_span(void *arg, struct span span, uint64_t line, bool *ret_bad)
{
	struct reader *r = arg;
	const char *unanswered = NULL;
	const char *why = otel_span_read(&r->span, span, ret_bad, &unanswered);
	if (why && *ret_bad) {
		return why;
	}
	why = why || r->sink->request ? why : unanswered;
	if (why) {
		r->sink->unfit(r->sink->arg, r->span.is_other ? 0 : line, why);
	} else if (r->sink->request) {
		deliver_request(r, line);
	} else {
		deliver_answer(r, span, line);
	}
	return NULL;
}

static int read_file(const struct format_file *f, const struct format_sink *sink)
{
	static const struct json_stream_rule RULES[] = {
	        {NULL, false}, {"resourceSpans", true}, {"scopeSpans", true}, {"spans", false}};
	struct reader r = {.file = f, .sink = sink};
	int code = format_each_element(f->file, RULES, ARRAY_LEN(RULES), sink, take_span, &r);
	buf_finish(&r.body);
	otel_span_finish(&r.span);
	return code;
}

static bool fits(const struct sniff *s)
{
	return sniff_has(s, 1, "resourceSpans") ||
	       (sniff_has(s, 1, "spans") && sniff_has(s, 3, "attributes"));
}

const struct request_format request_format_otel = {
        .name = "otel",
        .title = "OpenTelemetry's spans of generative AI (OTLP JSON)",
        .fits = fits,
        .read = read_file,
};

const struct import_format import_format_otel = {
        .name = "otel",
        .title = "OpenTelemetry's spans of generative AI (OTLP JSON): chats and answers",
        .fits = fits,
        .read = read_file,
};
