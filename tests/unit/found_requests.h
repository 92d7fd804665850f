#pragma once
/* found_requests - helpers for tests of files of requests: read a file, compare what was found. */
#include "capture/formats/input_formats.h"

#include <string.h>

#include <criterion/criterion.h>

#include "base/mem.h"

#define EPOCH UINT64_C(1700000000000000000)

struct result {
	struct buf found, bad, unfit;
};

static inline void on_request(void *arg, const struct request_found *r)
{
	struct result *h = arg;
	buf_printf(&h->found, "%llu %.*s [%.*s|%.*s] @%llu ", (unsigned long long)r->line,
	        (int)r->target.len, r->target.data, (int)r->item.len, r->item.data,
	        (int)r->category.len, r->category.data, (unsigned long long)r->wall_ns);
	if (r->session.len) {
		buf_printf(&h->found, "%.*s#%u+%llu %s", (int)r->session.len, r->session.data,
		        r->turn, (unsigned long long)r->delay_ns, r->history_open ? "open " : "");
	}
	buf_printf(&h->found, "%.*s\n", (int)r->body.len, r->body.data);
}

static inline void on_bad(void *arg, uint64_t line, const char *why)
{
	buf_printf(&((struct result *)arg)->bad, "%llu: %s\n", (unsigned long long)line, why);
}

static inline void on_unfit(void *arg, uint64_t line, const char *why)
{
	if (line) {
		buf_printf(&((struct result *)arg)->unfit, "%llu: ", (unsigned long long)line);
	}
	buf_printf(&((struct result *)arg)->unfit, "%s\n", why);
}

static inline struct result read_as(
        const struct input_format *format, const char *text, struct trace_units units)
{
	struct result h = {0};
	FILE *file = fmemopen((void *)text, strlen(text), "r");
	const struct format_sink sink = {
	        .request = on_request, .bad = on_bad, .unfit = on_unfit, .arg = &h};
	const struct format_file f = {
	        .file = file, .name = SPAN("file"), .time_ns = EPOCH, .units = units};
	cr_assert_eq(input_format_read_requests(format, &f, &sink), 0);
	fclose(file);
	return h;
}

static inline const struct input_format *format_of(const char *text)
{
	FILE *file = fmemopen((void *)text, strlen(text), "r");
	const struct input_format *format = input_format_of(file);
	fclose(file);
	return format;
}

static inline struct result read_with_units(
        const char *text, const char *name, struct trace_units units)
{
	const struct input_format *format = format_of(text);
	cr_assert(format, "%s", text);
	cr_expect_str_eq(format->name, name);
	return read_as(format, text, units);
}

static inline struct result read_text(const char *text, const char *name)
{
	return read_with_units(text, name, (struct trace_units){0});
}

static inline void check(
        const char *name, const char *text, const char *found, const char *bad, const char *unfit)
{
	struct result h = read_text(text, name);
	cr_expect_str_eq(buf_cstr(&h.found), found);
	cr_expect_str_eq(buf_cstr(&h.bad), bad);
	cr_expect_str_eq(buf_cstr(&h.unfit), unfit);
	buf_finish(&h.found);
	buf_finish(&h.bad);
	buf_finish(&h.unfit);
}

#define CHAT "/v1/chat/completions"
#define COMPLETION "/v1/completions"
