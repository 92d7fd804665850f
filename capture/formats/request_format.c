#include "capture/formats/request_format.h"

#include "capture/formats/requests_of_answers.h"

static const char *take_line(void *arg, struct span line, uint64_t number, bool *ret_bad)
{
	struct request_lines *r = arg;
	r->line = number;
	return r->take(r, line);
}

static int read_lines(
        const struct format_file *f, const struct format_sink *sink, request_take_fn take)
{
	struct request_lines r = {.file = f, .sink = sink, .take = take};
	int code = format_each_line(f->file, sink, take_line, &r);
	buf_finish(&r.body);
	buf_finish(&r.text);
	trace_sessions_finish(&r.sessions);
	return code;
}

/* The first pass over a file: reports the first doubt and delivers no requests. */
struct doubts {
	const struct format_sink *sink;
	bool any;
};

static void on_doubt(void *arg, uint64_t line, const char *why)
{
	struct doubts *d = arg;
	if (!d->any) {
		d->sink->bad(d->sink->arg, line, why);
	}
	d->any = true;
}

int request_format_read(const struct request_format *format, const struct format_file *f,
        const struct format_sink *sink)
{
	if (format->answers) {
		return requests_of_answers(format->answers, f, sink);
	}
	if (format->read) {
		return format->read(f, sink);
	}
	if (format->doubt) {
		struct doubts doubts = {.sink = sink};
		const struct format_sink first = {.bad = on_doubt, .arg = &doubts};
		int code = read_lines(f, &first, format->doubt);
		if (code < 0 || doubts.any) {
			return code;
		}
		rewind(f->file);
	}
	return read_lines(f, sink, format->take);
}

double request_time_unit(const struct request_lines *r, double own)
{
	return r->file->units.time_ns ? (double)r->file->units.time_ns : own;
}

enum line_result request_time(
        const struct request_lines *r, struct span line, double own, uint64_t *ret_ns)
{
	uint64_t ns = 0;
	enum line_result result = line_time(line, "timestamp", request_time_unit(r, own), &ns);
	if (result == LINE_READ) {
		/* Times since 1970 are absolute. */
		bool absolute = ns > UINT64_C(1000000000) * 1000000000;
		*ret_ns = absolute ? ns : r->file->time_ns + ns;
	}
	return result;
}

void request_deliver(struct request_lines *r, struct span target, struct request_found *found)
{
	found->body = found->body.len ? found->body : buf_span(&r->body);
	found->target = target;
	found->line = r->line;
	r->sink->request(r->sink->arg, found);
}
