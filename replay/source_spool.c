/*
 * source_spool - a file of another kind, made into lines that source_lines.c reads.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/clock.h"
#include "base/json.h"
#include "base/mem.h"
#include "imports/timestamp.h"
#include "replay/source_kind.h"

struct spool {
	struct source *source;
	FILE *to;
	struct span suite;
	struct buf line;
};

static bool is_object(struct span body)
{
	struct json j;
	json_init(&j, body.data, body.len);
	struct json_token t = json_next(&j);
	return t.type == JSON_OBJECT && json_skip(&j, &t).len && json_next(&j).type == JSON_END;
}

static void put_text(struct buf *to, const char *name, struct span text)
{
	if (text.len) {
		bool first = to->len == 0 || to->data[to->len - 1] == '{';
		buf_printf(to, "%s\"%s\":", first ? "" : ",", name);
		json_put_string(to, text);
	}
}

static void on_bad(void *arg, uint64_t line, const char *why)
{
	struct spool *s = arg;
	char *text = xasprintf("%s:%" PRIu64 ": %s", s->source->path, line, why);
	reasons_add(&s->source->bad, text);
	free(text);
}

static void on_unfit(void *arg, const char *why)
{
	struct spool *s = arg;
	reasons_add(&s->source->bad, why);
}

/* Line feeds are only between the members of what is JSON: as spaces they say the same. */
static void put_on_one_line(struct buf *to, struct span body)
{
	size_t from = to->len;
	buf_append_span(to, body);
	for (size_t i = from; i < to->len; i++) {
		if (to->data[i] == '\n' || to->data[i] == '\r') {
			to->data[i] = ' ';
		}
	}
}

static void on_request(void *arg, const struct request_found *r)
{
	struct spool *s = arg;
	struct buf *to = &s->line;
	if (!is_object(r->body)) {
		on_bad(arg, r->line, "its body is not one JSON object");
		return;
	}
	buf_clear(to);
	buf_append_char(to, '{');
	put_text(to, "custom_id", r->item);
	put_text(to, "url", r->target);
	buf_printf(to, ",\"line\":%" PRIu64 ",\"wall_ns\":%" PRIu64 ",\"labels\":{", r->line,
	        r->wall_ns);
	put_text(to, "suite", s->suite);
	put_text(to, "category", r->category);
	put_text(to, "gold", r->gold);
	buf_append_str(to, "},\"body\":");
	put_on_one_line(to, r->body);
	buf_append_str(to, "}\n");
	fwrite(to->data, 1, to->len, s->to);
}

static struct span last_part(const char *path)
{
	const char *slash = strrchr(path, '/');
	return span_of(slash ? slash + 1 : path);
}

/* When the file was made stands for the beginning of a trace that counts from 0. */
static uint64_t time_of(struct source *s)
{
	struct stat st;
	uint64_t ns;
	if (timestamp_find(last_part(s->path), &ns)) {
		return ns;
	}
	return fstat(fileno(s->file), &st) == 0 && st.st_mtime > 0
	               ? (uint64_t)st.st_mtime * 1000000000
	               : clock_wall();
}

static char *convert(struct source *s)
{
	FILE *to = tmpfile();
	if (!to) {
		return xasprintf(
		        "a temporary file for %s can't be made: %s", s->path, strerror(errno));
	}
	struct spool spool = {.source = s, .to = to, .suite = last_part(s->path)};
	const struct request_sink sink = {on_request, on_bad, on_unfit, &spool};
	const struct request_file file = {
	        .file = s->file,
	        .suite = spool.suite,
	        .time_ns = time_of(s),
	};
	int r = s->format->read(&file, &sink);
	buf_finish(&spool.line);
	if (r < 0 || fflush(to) != 0 || ferror(to)) {
		char *why = xasprintf(r < 0 ? "%s can't be read: %s"
		                            : "a temporary file for %s can't be written: %s",
		        s->path, strerror(r < 0 ? -r : errno));
		fclose(to);
		return why;
	}
	fclose(s->file);
	s->file = to;
	return NULL;
}

char *source_spool(struct source *s)
{
	struct sniff *sniff = xcalloc(1, sizeof(*sniff));
	sniff_file(sniff, s->file);
	s->format = requests_format_of(sniff);
	sniff_finish(sniff);
	free(sniff);
	return s->format ? convert(s) : NULL;
}
