/*
 * Any bytes as a file of results or of requests. The first byte chooses the format, or that the
 * reader detects it. Bodies that a format calls JSON must be JSON: the target reads them again.
 */
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/json.h"
#include "capture/formats/input_formats.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void expect_json(const struct buf *b)
{
	struct json j;
	json_init_lenient(&j, b->data, b->len);
	struct json_token t = json_next(&j);
	/* A value may have a depth of JSON_MAX_DEPTH, and here it is wrapped. */
	bool whole = json_skip(&j, &t).len > 0;
	expect(whole || (j.error && strstr(j.error, "dee")));
}

static void on_answer(void *arg, const struct imported_answer *a)
{
	struct buf request = {0}, body = {0};
	size_t head;
	imported_answer_put_request(a, &request, &head);
	imported_answer_put_body(a, &body);
	expect(head < request.len);
	/* Recorded bodies need not be JSON. */
	if (!a->sent.len) {
		expect_json(&request);
		expect_json(&body);
	}
	expect(a->backend.len > 0);
	expect(imported_answer_outcome(a) < N_OUTCOMES);
	buf_finish(&request);
	buf_finish(&body);
}

static void on_bad(void *arg, uint64_t line, const char *why)
{
	expect(line > 0 && *why);
}

static void on_unfit(void *arg, uint64_t line, const char *why)
{
	expect(*why);
}

static void on_note(void *arg, const char *why)
{
	expect(*why);
}

static void on_request(void *arg, const struct request_found *r)
{
	expect(r->target.len > 0 && r->line > 0);
	volatile char sum = 0; /* every byte must be readable */
	for (size_t i = 0; i < r->body.len; i++) {
		sum = (char)(sum + r->body.data[i]);
	}
}

static void read_requests(FILE *file, size_t choice)
{
	size_t n;
	const struct input_format *const *all = input_formats(&n);
	const struct input_format *format = choice < n ? all[choice] : input_format_of(file);
	const struct format_sink sink = {.request = on_request, .bad = on_bad, .unfit = on_unfit};
	const struct format_file f = {.file = file, .name = SPAN("x"), .time_ns = 1};
	if (format && !format->instead) {
		expect(input_format_read_requests(format, &f, &sink) == 0);
	}
}

static void read_answers(FILE *file, FILE *requests, size_t choice)
{
	size_t n;
	const struct input_format *const *all = input_formats(&n);
	const struct format_sink sink = {
	        .answer = on_answer, .bad = on_bad, .unfit = on_unfit, .note = on_note};
	const struct format_file f = {
	        .file = file,
	        .name = SPAN("samples_x_2026-04-19T12-00-00.jsonl"),
	        .backend = SPAN("b"),
	        .role = ROLE_CANDIDATE,
	        .time_ns = 1,
	        .requests = requests,
	};
	const struct input_format *format = choice < n ? all[choice] : input_format_of(file);
	if (format && format->answers) {
		expect(format->read(&f, &sink) == 0);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (size < 2) {
		return 0;
	}
	FILE *file = fmemopen((void *)(data + 1), size - 1, "r");
	if (data[0] & 0x80) {
		read_requests(file, data[0] & 0x7f);
	} else {
		/* A batch's output may also be its input. */
		FILE *again = fmemopen((void *)(data + 1), size - 1, "r");
		read_answers(file, again, data[0]);
		fclose(again);
	}
	fclose(file);
	return 0;
}
