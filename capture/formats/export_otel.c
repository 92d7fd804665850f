/*
 * OpenTelemetry spans with the generative AI conventions, in OTLP's JSON: one span per chat.
 */
#include <inttypes.h>
#include <math.h>

#include "base/json.h"
#include "capture/formats/export_format.h"
#include "base/json_writer.h"
#include "capture/formats/otel_form.h"

#define NEVER UINT64_MAX

/* The caller writes the value and closes both objects. */
static void open_attribute(struct json_writer *w, const char *key)
{
	json_writer_open(w, NULL, '{');
	json_writer_text(w, "key", key);
	json_writer_open(w, "value", '{');
}

static void put_text(struct json_writer *w, const char *key, struct span value)
{
	open_attribute(w, key);
	json_writer_string(w, "stringValue", value);
	json_writer_close(w, "}}");
}

static void put_number(struct json_writer *w, const char *key, double value)
{
	if (!isnan(value)) {
		open_attribute(w, key);
		json_writer_number(w, "doubleValue", value);
		json_writer_close(w, "}}");
	}
}

static void put_count(struct json_writer *w, const char *key, int64_t value, bool is_set)
{
	if (is_set) {
		open_attribute(w, key);
		/* OTLP writes 64-bit numbers as strings */
		json_writer_printf(w, "intValue", "\"%" PRId64 "\"", value);
		json_writer_close(w, "}}");
	}
}

/* Writes one or more stop texts as a list, as the conventions require. False: the value is
 * neither, and nothing is written. */
static bool put_stop(struct json_writer *w, struct span body)
{
	struct json j;
	struct json_token t;
	struct span value;
	struct buf list = {0}, text = {0};
	struct json_writer values = {.to = &list};
	if (!json_find_member(body, "stop", &t, &value) || t.type == JSON_TOKEN_NULL) {
		return true;
	}
	t = json_begin_lenient(&j, value);
	if (t.type == JSON_TOKEN_ARRAY) {
		t = json_next(&j);
	}
	for (; t.type == JSON_TOKEN_STRING; t = json_next(&j)) {
		buf_clear(&text);
		json_token_unescape(&t, &text);
		json_writer_open(&values, NULL, '{');
		json_writer_string(&values, "stringValue", buf_span(&text));
		json_writer_close(&values, "}");
	}
	bool good = t.type == JSON_TOKEN_ARRAY_END || t.type == JSON_TOKEN_END;
	if (good) {
		open_attribute(w, "gen_ai.request.stop_sequences");
		json_writer_open(w, "arrayValue", '{');
		json_writer_open(w, "values", '[');
		json_writer_raw(w, NULL, buf_span(&list));
		json_writer_close(w, "]}}}");
	}
	buf_finish(&list);
	buf_finish(&text);
	return good;
}

static void put_parameters(struct json_writer *w, const struct exchange_row *row)
{
	const struct request_facts *f = &row->facts;
	if (row->model) {
		put_text(w, "gen_ai.request.model", span_of(row->model));
	}
	put_number(w, "gen_ai.request.temperature", f->temperature);
	put_number(w, "gen_ai.request.top_p", f->top_p);
	put_number(w, "gen_ai.request.top_k", f->top_k);
	put_count(w, "gen_ai.request.choice.count", f->n, f->n != 1);
	put_number(w, "gen_ai.request.frequency_penalty", f->frequency_penalty);
	put_number(w, "gen_ai.request.presence_penalty", f->presence_penalty);
	put_count(w, "gen_ai.request.max_tokens", f->max_tokens, f->max_tokens >= 0);
	put_count(w, "gen_ai.request.seed", f->seed, f->has_seed);
}

static void put_answer(
        struct exporter *x, const struct capture_exchange *e, size_t leg, struct json_writer *w)
{
	const struct leg_row *row = &e->legs[leg].row;
	struct buf messages = {0};
	put_count(w, "gen_ai.usage.input_tokens", row->usage.prompt_tokens,
	        row->usage.prompt_tokens >= 0);
	put_count(w, "gen_ai.usage.output_tokens", row->usage.completion_tokens,
	        row->usage.completion_tokens >= 0);
	if (row->model) {
		put_text(w, "gen_ai.response.model", span_of(row->model));
	}
	struct reading *reading = exporter_reading(x, e, leg);
	if (reading) {
		otel_form_answer(&reading->choices[0], &messages);
		put_text(w, "gen_ai.output.messages", buf_span(&messages));
		exporter_lose(x, reading, false);
	} else {
		error_tally_add(&x->lost, "answers that are errors, interrupted or redacted");
	}
	reading_destroy(reading);
	buf_finish(&messages);
}

/* False: some members of the request are not in the span. */
static bool put_span(struct exporter *x, const struct capture_exchange *e, struct span body,
        struct span messages, struct span tools, struct json_writer *w)
{
	/* the members that attributes represent, and those that only concern how the answer is
	 * transferred */
	static const char *const HELD[] = {"model", "messages", "temperature", "top_p", "top_k",
	        "n", "frequency_penalty", "presence_penalty", "max_tokens", "max_completion_tokens",
	        "seed", "stop", "stream", "stream_options", "tools"};
	size_t leg;
	bool answered = exporter_leg(x, e, &leg);
	const struct leg_row *row = answered ? &e->legs[leg].row : NULL;
	uint64_t took = row && row->end_us != NEVER ? row->end_us * 1000 : 0;
	struct buf name = {0};
	buf_printf(&name, "chat %s", e->row.model ? e->row.model : "");
	json_writer_open(w, NULL, '{');
	json_writer_hex(w, "traceId", e->row.id.bytes, 16);
	json_writer_hex(w, "spanId", e->row.id.bytes + 8, 8);
	json_writer_string(w, "name", buf_span(&name));
	buf_finish(&name);
	json_writer_integer(w, "kind", 3);
	json_writer_printf(w, "startTimeUnixNano", "\"%" PRIu64 "\"", e->row.wall_ns);
	json_writer_printf(w, "endTimeUnixNano", "\"%" PRIu64 "\"", e->row.wall_ns + took);
	json_writer_open(w, "attributes", '[');
	put_text(w, "gen_ai.operation.name", SPAN("chat"));
	put_parameters(w, &e->row);
	bool whole = put_stop(w, body) && !otel_form_has_more(body, HELD, ARRAY_LEN(HELD));
	put_text(w, "gen_ai.input.messages", messages);
	if (tools.len) {
		put_text(w, "gen_ai.tool.definitions", tools);
	}
	if (answered) {
		put_answer(x, e, leg, w);
	}
	json_writer_close(w, "]}");
	return whole;
}

static const char *put(struct exporter *x, const struct capture_exchange *e, struct buf *to)
{
	struct buf body = {0}, messages = {0}, tools = {0};
	struct json_writer w = {.to = to};
	bool more_in_messages = false, more_in_tools = false;
	const char *why = exporter_request(x, e, &body);
	why = why ? why : otel_form_messages(buf_span(&body), &messages, &more_in_messages);
	why = why ? why : otel_form_tools(buf_span(&body), &tools, &more_in_tools);
	if (!why && !put_span(x, e, buf_span(&body), buf_span(&messages), buf_span(&tools), &w)) {
		error_tally_add(&x->lost, "requests' further members");
	}
	if (!why && more_in_messages) {
		error_tally_add(&x->lost, "messages' further members");
	}
	if (!why && more_in_tools) {
		error_tally_add(&x->lost, "tools' further members");
	}
	buf_finish(&tools);
	buf_finish(&messages);
	buf_finish(&body);
	return why;
}

const struct export_format export_otel = {
        .name = "otel",
        .title = "OpenTelemetry's spans of generative AI (OTLP JSON): chats, tools and answers",
        .content = EXPORT_PARAMETERS | EXPORT_ANSWERS | EXPORT_TIMES,
        .put = put,
        .begin = "{\"resourceSpans\":[{\"resource\":{\"attributes\":[{\"key\":\"service.name\","
                 "\"value\":{\"stringValue\":"
                 "\"plumbline\"}}]},\"scopeSpans\":[{\"scope\":{\"name\":\"plumbline\"},\"spans\":["
                 "\n",
        .between = ",\n",
        .end = "\n]}]}]}\n",
};
