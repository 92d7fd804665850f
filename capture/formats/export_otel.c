/*
 * OpenTelemetry spans with the generative AI conventions, in OTLP's JSON: one span per chat.
 */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/json.h"
#include "capture/formats/export_format.h"
#include "capture/formats/member_writer.h"
#include "capture/formats/otel_form.h"

#define NEVER UINT64_MAX

static void put_key(struct buf *to, const char *key, const char *type)
{
	buf_printf(to,
	        "%s{\"key\":\"%s\",\"value\":{\"%s\":", to->data[to->len - 1] == '[' ? "" : ",",
	        key, type);
}

static void put_text(struct buf *to, const char *key, struct span value)
{
	put_key(to, key, "stringValue");
	json_put_string(to, value);
	buf_append_str(to, "}}");
}

static void put_number(struct buf *to, const char *key, double value)
{
	if (!isnan(value)) {
		put_key(to, key, "doubleValue");
		json_put_number(to, value);
		buf_append_str(to, "}}");
	}
}

static void put_count(struct buf *to, const char *key, int64_t value, bool is_set)
{
	if (is_set) {
		put_key(to, key, "intValue");
		/* OTLP writes 64-bit numbers as strings */
		buf_printf(to, "\"%" PRId64 "\"}}", value);
	}
}

/* Writes one or more stop texts as a list, as the conventions require. False: the value is
 * neither, and nothing is written. */
static bool put_stop(struct buf *to, struct span body)
{
	struct json j;
	struct json_token t;
	struct span value;
	struct buf list = {0}, text = {0};
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
		buf_append_str(&list, list.len ? ",{\"stringValue\":" : "{\"stringValue\":");
		json_put_string(&list, buf_span(&text));
		buf_append_char(&list, '}');
	}
	bool good = t.type == JSON_TOKEN_ARRAY_END || t.type == JSON_TOKEN_END;
	if (good) {
		put_key(to, "gen_ai.request.stop_sequences", "arrayValue");
		buf_append_str(to, "{\"values\":[");
		buf_append_span(to, buf_span(&list));
		buf_append_str(to, "]}}}");
	}
	buf_finish(&list);
	buf_finish(&text);
	return good;
}

static void put_parameters(struct buf *to, const struct exchange_row *row)
{
	const struct request_facts *f = &row->facts;
	if (row->model) {
		put_text(to, "gen_ai.request.model", span_of(row->model));
	}
	put_number(to, "gen_ai.request.temperature", f->temperature);
	put_number(to, "gen_ai.request.top_p", f->top_p);
	put_number(to, "gen_ai.request.frequency_penalty", f->frequency_penalty);
	put_number(to, "gen_ai.request.presence_penalty", f->presence_penalty);
	put_count(to, "gen_ai.request.max_tokens", f->max_tokens, f->max_tokens >= 0);
	put_count(to, "gen_ai.request.seed", f->seed, f->has_seed);
}

static void put_answer(
        struct exporter *x, const struct capture_exchange *e, size_t leg, struct buf *to)
{
	const struct leg_row *row = &e->legs[leg].row;
	struct buf messages = {0};
	put_count(to, "gen_ai.usage.input_tokens", row->usage.prompt_tokens,
	        row->usage.prompt_tokens >= 0);
	put_count(to, "gen_ai.usage.output_tokens", row->usage.completion_tokens,
	        row->usage.completion_tokens >= 0);
	if (row->model) {
		put_text(to, "gen_ai.response.model", span_of(row->model));
	}
	struct reading *reading = exporter_reading(x, e, leg);
	if (reading) {
		otel_form_answer(&reading->choices[0], &messages);
		put_text(to, "gen_ai.output.messages", buf_span(&messages));
		if (reading->n_choices > 1) {
			error_tally_add(&x->lost, "choices after the first");
		}
	} else {
		error_tally_add(&x->lost, "answers that are errors, interrupted or redacted");
	}
	reading_destroy(reading);
	buf_finish(&messages);
}

static void put_ids(struct buf *to, struct id id)
{
	buf_append_str(to, "{\"traceId\":\"");
	buf_append_hex(to, id.bytes, 16);
	buf_append_str(to, "\",\"spanId\":\"");
	buf_append_hex(to, id.bytes + 8, 8);
	buf_append_char(to, '"');
}

/* False: some members of the request are not in the span. */
static bool put_span(struct exporter *x, const struct capture_exchange *e, struct span body,
        struct span messages, struct span tools, struct buf *to)
{
	/* the members that attributes represent, and those that only concern how the answer is
	 * transferred */
	static const char *const HELD[] = {"model", "messages", "temperature", "top_p",
	        "frequency_penalty", "presence_penalty", "max_tokens", "max_completion_tokens",
	        "seed", "stop", "stream", "stream_options", "tools"};
	size_t leg;
	bool answered = exporter_leg(x, e, &leg);
	const struct leg_row *row = answered ? &e->legs[leg].row : NULL;
	uint64_t took = row && row->end_us != NEVER ? row->end_us * 1000 : 0;
	struct buf name = {0};
	buf_printf(&name, "chat %s", e->row.model ? e->row.model : "");
	put_ids(to, e->row.id);
	member_string(to, "name", buf_span(&name));
	buf_finish(&name);
	buf_printf(to,
	        ",\"kind\":3,\"startTimeUnixNano\":\"%" PRIu64 "\",\"endTimeUnixNano\":\"%" PRIu64
	        "\",\"attributes\":[",
	        e->row.wall_ns, e->row.wall_ns + took);
	put_text(to, "gen_ai.operation.name", SPAN("chat"));
	put_parameters(to, &e->row);
	bool whole = put_stop(to, body) && !otel_form_has_more(body, HELD, ARRAY_LEN(HELD));
	put_text(to, "gen_ai.input.messages", messages);
	if (tools.len) {
		put_text(to, "gen_ai.tool.definitions", tools);
	}
	if (answered) {
		put_answer(x, e, leg, to);
	}
	buf_append_str(to, "]}");
	return whole;
}

static const char *put(struct exporter *x, const struct capture_exchange *e, struct buf *to)
{
	struct buf body = {0}, messages = {0}, tools = {0};
	bool more_in_messages = false, more_in_tools = false;
	const char *why = exporter_request(x, e, &body);
	why = why ? why : otel_form_messages(buf_span(&body), &messages, &more_in_messages);
	why = why ? why : otel_form_tools(buf_span(&body), &tools, &more_in_tools);
	if (!why && !put_span(x, e, buf_span(&body), buf_span(&messages), buf_span(&tools), to)) {
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
        .room = EXPORT_PARAMETERS | EXPORT_ANSWERS | EXPORT_TIMES,
        .put = put,
        .begin = "{\"resourceSpans\":[{\"resource\":{\"attributes\":[{\"key\":\"service.name\","
                 "\"value\":{\"stringValue\":"
                 "\"plumbline\"}}]},\"scopeSpans\":[{\"scope\":{\"name\":\"plumbline\"},\"spans\":["
                 "\n",
        .between = ",\n",
        .end = "\n]}]}]}\n",
};
