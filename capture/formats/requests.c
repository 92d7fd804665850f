#include "capture/formats/requests.h"

#include <errno.h>

#include "capture/formats/line_reader.h"

#define ENTRY(name) &requests_##name,
static const struct request_format *const FORMATS[] = {REQUEST_FORMATS(ENTRY)};
#undef ENTRY

const struct request_format *const *requests_formats(size_t *ret_n)
{
	*ret_n = ARRAY_LEN(FORMATS);
	return FORMATS;
}

const struct request_format *requests_format_of(const struct sniff *s)
{
	for (size_t i = 0; i < ARRAY_LEN(FORMATS); i++) {
		const struct request_format *f = FORMATS[i];
		if (f->answers ? f->answers->fits(s) : f->fits(s)) {
			return f;
		}
	}
	return NULL;
}

static int read_lines(
        const struct request_file *f, const struct request_sink *sink, requests_take_fn take)
{
	struct request_lines r = {.file = f, .sink = sink};
	struct line_reader lines;
	struct span line;
	int code;
	line_reader_init(&lines, f->file);
	while ((code = line_reader_next(&lines, &line)) == 1 || code == -EFBIG) {
		r.line = lines.number;
		const char *why = code == -EFBIG ? "it is longer than 64 MiB"
		                  : line.len     ? take(&r, line)
		                                 : NULL;
		if (why) {
			sink->bad(sink->arg, r.line, why);
		}
	}
	line_reader_finish(&lines);
	buf_finish(&r.body);
	buf_finish(&r.text);
	threads_finish(&r.threads);
	return code;
}

/* The first pass over a file: reports the first doubt and delivers no requests. */
struct doubts {
	const struct request_sink *sink;
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

int requests_read(const struct request_format *format, const struct request_file *f,
        const struct request_sink *sink)
{
	if (format->answers) {
		return requests_read_answers(format->answers, f, sink);
	}
	if (format->read) {
		return format->read(f, sink);
	}
	if (format->doubt) {
		struct doubts doubts = {.sink = sink};
		const struct request_sink first = {.bad = on_doubt, .arg = &doubts};
		int code = read_lines(f, &first, format->doubt);
		if (code < 0 || doubts.any) {
			return code;
		}
		rewind(f->file);
	}
	return read_lines(f, sink, format->take);
}

double requests_unit(const struct request_lines *r, double own)
{
	return r->file->units.time_ns ? (double)r->file->units.time_ns : own;
}

enum line_result requests_time(
        const struct request_lines *r, struct span line, double own, uint64_t *ret_ns)
{
	uint64_t ns = 0;
	enum line_result told = line_time(line, "timestamp", requests_unit(r, own), &ns);
	if (told == LINE_READ) {
		/* Times since 1970 are absolute. */
		bool absolute = ns > UINT64_C(1000000000) * 1000000000;
		*ret_ns = absolute ? ns : r->file->time_ns + ns;
	}
	return told;
}

void requests_give(struct request_lines *r, struct span target, struct request_found *found)
{
	found->body = found->body.len ? found->body : buf_span(&r->body);
	found->target = target;
	found->line = r->line;
	r->sink->request(r->sink->arg, found);
}
