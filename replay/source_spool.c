/*
 * source_spool - converts a file of another kind to lines that source_lines.c reads.
 */
#include <errno.h>
#include <string.h>

#include "base/json.h"
#include "base/mem.h"
#include "capture/formats/file_facts.h"
#include "base/json_writer.h"
#include "replay/source_kind.h"

struct spool {
	struct source *source;
	FILE *to;
	struct span suite;
	struct buf line;
};

static void put_text(struct json_writer *w, const char *name, struct span text)
{
	if (text.len) {
		json_writer_string(w, name, text);
	}
}

static void on_bad(void *arg, uint64_t line, const char *why)
{
	struct spool *s = arg;
	error_tally_add_at(&s->source->bad, s->source->path, line, why);
}

static void on_unfit(void *arg, uint64_t line, const char *why)
{
	struct spool *s = arg;
	if (line) {
		error_tally_add_at(&s->source->bad, s->source->path, line, why);
	} else {
		error_tally_add(&s->source->bad, why);
	}
}

static void on_request(void *arg, const struct request_found *r)
{
	struct spool *s = arg;
	struct buf *to = &s->line;
	if (!json_is_one_object(r->body)) {
		on_bad(arg, r->line, "its body is not one JSON object");
		return;
	}
	struct json_writer w = {.to = to};
	buf_clear(to);
	json_writer_open(&w, NULL, '{');
	put_text(&w, "custom_id", r->item);
	put_text(&w, "url", r->target);
	json_writer_count(&w, "line", r->line);
	json_writer_count(&w, "wall_ns", r->wall_ns);
	json_writer_open(&w, "labels", '{');
	put_text(&w, "suite", r->suite.len ? r->suite : s->suite);
	put_text(&w, "category", r->category);
	put_text(&w, "gold", r->gold);
	json_writer_close(&w, "}");
	if (r->session.len) {
		json_writer_string(&w, "session", r->session);
		json_writer_count(&w, "turn", r->turn);
		json_writer_count(&w, "delay_ns", r->delay_ns);
		json_writer_count(&w, "open", r->history_open);
	}
	json_writer_begin(&w, SPAN("body"));
	json_put_on_one_line(to, r->body);
	json_writer_close(&w, "}");
	buf_append_char(to, '\n');
	fwrite(to->data, 1, to->len, s->to);
}

static char *convert(struct source *s, const struct trace_units *units)
{
	FILE *to = tmpfile();
	if (!to) {
		return xasprintf(
		        "a temporary file for %s can't be made: %s", s->path, strerror(errno));
	}
	struct spool spool = {.source = s, .to = to, .suite = file_name(span_of(s->path))};
	const struct format_sink sink = {
	        .request = on_request, .bad = on_bad, .unfit = on_unfit, .arg = &spool};
	const struct format_file file = {
	        .file = s->file,
	        .name = spool.suite,
	        .time_ns = file_time(span_of(s->path), s->file),
	        .units = *units,
	};
	int r = input_format_read_requests(s->format, &file, &sink);
	buf_finish(&spool.line);
	if (r < 0 || fflush(to) != 0 || ferror(to)) {
		char *why = xasprintf(r < 0 ? "%s can't be read: %s"
		                            : "a temporary file for %s can't be written: %s",
		        s->path, strerror(r < 0 ? -r : errno));
		fclose(to);
		return why;
	}
	fclose(s->file);
	s->lines.file = s->file = to;
	return NULL;
}

char *source_spool(struct source *s, const struct trace_units *units)
{
	const struct input_format *f = source_is_suite(s) ? NULL : input_format_of(s->file);
	s->format = f;
	if (f && f->instead) {
		return xasprintf("%s can't be replayed: %s", s->path, f->instead);
	}
	if (units->time_ns && !(f && f->has_time_unit)) {
		return xasprintf("%s has no times whose unit --time-unit could state: leave the "
		                 "option out",
		        s->path);
	}
	if (units->block_tokens && !(f && f->has_blocks)) {
		return xasprintf("%s has no hash_ids whose size --block-tokens could state: leave "
		                 "the option out",
		        s->path);
	}
	return f ? convert(s, units) : NULL;
}
