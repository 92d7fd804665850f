#include "capture/formats/format_sink.h"

#include <errno.h>

#include "capture/formats/line_reader.h"

void format_note(const struct format_sink *sink, const char *why)
{
	if (sink->note) {
		sink->note(sink->arg, why);
	}
}

void format_progress(const struct format_sink *sink)
{
	if (sink->progress) {
		sink->progress(sink->arg);
	}
}

bool format_stopped(const struct format_sink *sink)
{
	return sink->stopped && sink->stopped(sink->arg);
}

void format_reject(const struct format_sink *sink, bool is_bad, uint64_t line, const char *why)
{
	(is_bad ? sink->bad : sink->unfit)(sink->arg, line, why);
}

int format_each_line(FILE *file, const struct format_sink *sink, format_take_fn take, void *arg)
{
	struct line_reader lines;
	struct span line;
	int code = 0;
	line_reader_init(&lines, file);
	while (!format_stopped(sink) &&
	        ((code = line_reader_next(&lines, &line)) == 1 || code == -EFBIG)) {
		bool bad = true;
		const char *why = code == -EFBIG ? "it is longer than 64 MiB"
		                  : line.len     ? take(arg, line, lines.number, &bad)
		                                 : NULL;
		if (why) {
			format_reject(sink, bad, lines.number, why);
		}
		format_progress(sink);
	}
	line_reader_finish(&lines);
	return code == -EIO ? code : 0;
}

int format_end_stream(FILE *file, struct json_stream *o, const struct json_stream_event *last,
        const struct format_sink *sink)
{
	if (last->type == JSON_STREAM_ERROR) {
		sink->bad(sink->arg, last->line, last->why);
	}
	json_stream_destroy(o);
	return ferror(file) ? -EIO : 0;
}

int format_each_element(FILE *file, const struct json_stream_rule *rules, size_t n_rules,
        const struct format_sink *sink, format_take_fn take, void *arg)
{
	struct json_stream *o = json_stream_create(file, rules, n_rules);
	struct json_stream_event e = {0};
	json_stream_allow_many(o);
	json_stream_allow_gaps(o);
	while (!format_stopped(sink)) {
		json_stream_next(o, &e);
		if (e.type == JSON_STREAM_END || e.type == JSON_STREAM_ERROR) {
			break;
		}
		bool is_element = e.type == JSON_STREAM_VALUE && !e.key.len, bad = true;
		if (!is_element && e.type != JSON_STREAM_DAMAGED) {
			continue;
		}
		const char *why = !is_element  ? e.why
		                  : e.too_long ? "it is longer than 64 MiB"
		                               : take(arg, e.value, e.line, &bad);
		if (why) {
			format_reject(sink, bad, e.line, why);
		}
		format_progress(sink);
	}
	return format_end_stream(file, o, &e, sink);
}
