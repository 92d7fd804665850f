/*
 * Export forms with one JSON object per line: OpenAI's batch files, bodies alone, evalscope's
 * workload, vLLM's data sets, infer-check's suites, AIPerf's trace.
 */
#include <inttypes.h>

#include "base/json.h"
#include "capture/resend.h"
#include "capture/exchange_json.h"
#include "capture/formats/export_format.h"
#include "capture/record_json.h"

static const char *put_jsonl(struct exporter *x, const struct capture_exchange *e, struct buf *to)
{
	exchange_json_put(to, x->capture, e);
	buf_append_char(to, '\n');
	return NULL;
}

const struct export_format export_jsonl = {
        .name = "jsonl",
        .title = "all of it, as JSON lines (docs/format.md)",
        .content = EXPORT_ALL,
        .put = put_jsonl,
};

static void put_label(struct json_writer *w, const char *name, const char *text)
{
	if (text) {
		record_json_text(w, name, text);
	}
}

static void put_line(struct buf *to, const struct exchange_row *row, struct span body)
{
	const struct exchange_labels *l = &row->labels;
	struct json_writer w = {.to = to};
	json_writer_open(&w, NULL, '{');
	record_json_id(&w, "custom_id", row->id);
	json_writer_text(&w, "method", "POST");
	record_json_text(&w, "url", row->target);
	json_writer_count(&w, "wall_ns", row->wall_ns);
	if (l->suite || l->item || l->category || l->gold) {
		json_writer_open(&w, "labels", '{');
		put_label(&w, "suite", l->suite);
		put_label(&w, "item", l->item);
		put_label(&w, "category", l->category);
		put_label(&w, "gold", l->gold);
		json_writer_close(&w, "}");
	}
	json_writer_begin(&w, SPAN("body"));
	json_put_on_one_line(to, body);
	json_writer_close(&w, "}");
	buf_append_char(to, '\n');
}

static const char *put_batch(struct exporter *x, const struct capture_exchange *e, struct buf *to)
{
	struct buf body = {0};
	const char *why = exporter_request(x, e, &body);
	if (!why) {
		put_line(to, &e->row, buf_span(&body));
	}
	buf_finish(&body);
	return why;
}

const struct export_format export_batch = {
        .name = "batch",
        .title = "OpenAI's batch input, with labels and times",
        .content = EXPORT_BODIES | EXPORT_TIMES | EXPORT_LABELS,
        .put = put_batch,
};

/* The output of OpenAI's batches, which is joined to the input by custom_id. */
static const char *put_batch_output(
        struct exporter *x, const struct capture_exchange *e, struct buf *to)
{
	size_t leg;
	if (!exporter_leg(x, e, &leg)) {
		return "it has no answer";
	}
	const struct leg_row *row = &e->legs[leg].row;
	/* The batch's input cannot contain this request, so there is nothing to join the answer
	 * to. */
	const char *why = e->absent ? NULL : resend_unfit(&e->row, false);
	if (why || export_is_redacted(row)) {
		return why ? why : "private text in its answer was replaced";
	}
	struct buf body = {0};
	bool whole = exporter_answer(x, e, leg, &body);
	if (!whole || !json_is_one_object(buf_span(&body))) {
		buf_finish(&body);
		return whole ? "its answer is not one JSON object (a stream, perhaps)"
		             : "its answer was not recorded completely";
	}
	struct json_writer w = {.to = to};
	json_writer_open(&w, NULL, '{');
	record_json_id(&w, "id", row->id);
	record_json_id(&w, "custom_id", e->row.id);
	json_writer_open(&w, "response", '{');
	json_writer_count(&w, "status_code", (uint64_t)row->status);
	record_json_id(&w, "request_id", row->id);
	json_writer_begin(&w, SPAN("body"));
	json_put_on_one_line(to, buf_span(&body));
	json_writer_close(&w, "}");
	json_writer_null(&w, "error");
	json_writer_close(&w, "}");
	buf_append_char(to, '\n');
	buf_finish(&body);
	return NULL;
}

const struct export_format export_batch_output = {
        .name = "batch-output",
        .title = "OpenAI's batch output: the answers that --as batch asks for",
        .content = EXPORT_ANSWERS,
        .put = put_batch_output,
};

/* Appends the body on one line, without its end. NULL, or why it cannot. */
static const char *put_body(struct exporter *x, const struct capture_exchange *e, struct buf *to)
{
	struct buf body = {0};
	const char *why = exporter_request(x, e, &body);
	if (!why) {
		json_put_on_one_line(to, buf_span(&body));
	}
	buf_finish(&body);
	return why;
}

static const char *put_raw(struct exporter *x, const struct capture_exchange *e, struct buf *to)
{
	const char *why = put_body(x, e, to);
	buf_append_char(to, '\n');
	return why;
}

const struct export_format export_raw = {
        .name = "raw",
        .title = "requests' bodies, one a line (AIPerf's raw payload)",
        .content = EXPORT_BODIES,
        .put = put_raw,
};

/* Writes the body as the last member of the open object, and ends the line. */
static const char *put_body_as(struct exporter *x, const struct capture_exchange *e,
        struct json_writer *w, const char *name)
{
	json_writer_begin(w, span_of(name));
	const char *why = put_body(x, e, w->to);
	json_writer_close(w, "}");
	buf_append_char(w->to, '\n');
	return why;
}

static const char *put_evalscope(
        struct exporter *x, const struct capture_exchange *e, struct buf *to)
{
	uint64_t ns = exporter_ns(x, e);
	struct json_writer w = {.to = to};
	json_writer_open(&w, NULL, '{');
	record_json_id(&w, "request_id", e->row.id);
	json_writer_printf(
	        &w, "timestamp", "%" PRIu64 ".%09" PRIu64, ns / 1000000000, ns % 1000000000);
	return put_body_as(x, e, &w, "body");
}

const struct export_format export_evalscope = {
        .name = "evalscope",
        .title = "evalscope's workload: bodies with the seconds since the first",
        .content = EXPORT_BODIES | EXPORT_TIMES,
        .put = put_evalscope,
};

/* The request's token limit, or else the number of tokens of its answer. */
static int64_t output_tokens(const struct exporter *x, const struct capture_exchange *e)
{
	size_t leg;
	if (e->row.facts.max_tokens >= 0) {
		return e->row.facts.max_tokens;
	}
	return exporter_leg(x, e, &leg) ? e->legs[leg].row.usage.completion_tokens : -1;
}

/* vLLM's custom data sets: one text, to which vLLM applies a template. */
static const char *put_vllm(struct exporter *x, const struct capture_exchange *e, struct buf *to)
{
	struct buf question = {0};
	int64_t most = output_tokens(x, e);
	const char *why = exporter_question(x, e, &question);
	if (!why && most <= 0) {
		why = "it has neither a token limit nor a token count";
	}
	if (!why) {
		struct json_writer w = {.to = to};
		json_writer_open(&w, NULL, '{');
		json_writer_string(&w, "prompt", buf_span(&question));
		json_writer_integer(&w, "output_tokens", most);
		json_writer_close(&w, "}");
		buf_append_char(to, '\n');
	}
	buf_finish(&question);
	return why;
}

const struct export_format export_vllm = {
        .name = "vllm",
        .title = "vLLM's custom data sets: prompt and output_tokens, of single questions",
        .put = put_vllm,
};

/* infer-check's suites, which its --prompts reads. Where a line has no limit, infer-check uses
 * 1024 tokens. It always asks at temperature 0. */

static const char *put_suite(struct exporter *x, const struct capture_exchange *e, struct buf *to)
{
	const struct exchange_labels *l = &e->row.labels;
	struct buf question = {0};
	int64_t most = output_tokens(x, e);
	const char *why = exporter_question(x, e, &question);
	if (!why) {
		struct json_writer w = {.to = to};
		json_writer_open(&w, NULL, '{');
		if (l->item) {
			record_json_text(&w, "id", l->item);
		} else {
			record_json_id(&w, "id", e->row.id);
		}
		json_writer_string(&w, "text", buf_span(&question));
		record_json_text(&w, "category", l->category ? l->category : "general");
		if (most > 0) {
			json_writer_count(&w, "max_tokens", (uint64_t)most);
		}
		json_writer_close(&w, "}");
		buf_append_char(to, '\n');
	}
	buf_finish(&question);
	return why;
}

const struct export_format export_infer_check_suite = {
        .name = "infer-check-suite",
        .title = "infer-check's suites: text, category and max_tokens, of single questions",
        .put = put_suite,
};

static const char *put_aiperf(struct exporter *x, const struct capture_exchange *e, struct buf *to)
{
	uint64_t us = exporter_ns(x, e) / 1000;
	struct json_writer w = {.to = to};
	json_writer_open(&w, NULL, '{');
	json_writer_printf(&w, "timestamp", "%" PRIu64 ".%03" PRIu64, us / 1000, us % 1000);
	return put_body_as(x, e, &w, "payload");
}

const struct export_format export_aiperf = {
        .name = "aiperf",
        .title = "AIPerf's trace (--custom-dataset-type mooncake_trace): bodies with milliseconds",
        .content = EXPORT_BODIES | EXPORT_TIMES,
        .put = put_aiperf,
};
