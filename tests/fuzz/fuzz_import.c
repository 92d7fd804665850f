/*
 * Any bytes as a file of results; the first byte chooses the format, or that it is told by the rest.
 * What a format hands over must be JSON where it says so: the bodies made of it are read again.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/mem.h"
#include "imports/format.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void expect_json(const struct buf *b)
{
	struct json j;
	json_init_lenient(&j, b->data, b->len);
	struct json_token t = json_next(&j);
	/* A value may be as deep as JSON_MAX_DEPTH where it stood, and is wrapped here. */
	bool whole = json_skip(&j, &t).len > 0;
	expect(whole || (j.error && strstr(j.error, "dee")));
}

static void on_answer(void *arg, const struct answer *a)
{
	struct buf request = {0}, body = {0};
	size_t head;
	answer_put_request(a, &request, &head);
	answer_put_body(a, &body);
	expect(head < request.len);
	expect_json(&request);
	expect_json(&body);
	expect(a->backend.len > 0);
	buf_finish(&request);
	buf_finish(&body);
}

static void on_bad(void *arg, uint64_t line, const char *why)
{
	expect(line > 0 && *why);
}

static void on_reason(void *arg, const char *why)
{
	expect(*why);
}

static void on_progress(void *arg)
{
}

static bool never_stopped(void *arg)
{
	return false;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	size_t n;
	const struct format *const *all = formats(&n);
	if (size < 2) {
		return 0;
	}
	FILE *file = fmemopen((void *)(data + 1), size - 1, "r");
	const struct import_sink sink = {
	        on_answer, on_bad, on_reason, on_reason, on_progress, never_stopped, NULL};
	const struct import_file f = {
	        .file = file,
	        .name = SPAN("samples_x_2026-04-19T12-00-00.jsonl"),
	        .backend = SPAN("b"),
	        .role = ROLE_CANDIDATE,
	        .time_ns = 1,
	};
	struct sniff *s = xcalloc(1, sizeof(*s));
	sniff_file(s, file);
	const struct format *format = data[0] % (n + 1) < n ? all[data[0] % (n + 1)] : format_of(s);
	if (format) {
		expect(format->read(&f, &sink) == 0);
	}
	sniff_finish(s);
	free(s);
	fclose(file);
	return 0;
}
