/*
 * HAR 1.2: what browsers' tools and mitmproxy export.
 */
#include <errno.h>
#include <string.h>

#include "base/json.h"
#include "imports/timestamp.h"
#include "imports/outline.h"
#include "imports/requests.h"
#include "reading/request.h"

struct reader {
	const struct request_sink *sink;
	struct buf url, body, when;
};

static bool find_text(struct span in, const char *const *path, size_t depth, struct buf *to)
{
	struct json_token t;
	buf_clear(to);
	if (!json_find(in, path, depth, &t, NULL) || t.type != JSON_STRING) {
		return false;
	}
	json_unescape(&t, to);
	return true;
}

/* "/v1/chat/completions" of "https://host/v1/chat/completions". */
static struct span target_of(struct span url)
{
	if (!url.data) {
		return (struct span){0};
	}
	const char *scheme = memmem(url.data, url.len, "://", 3);
	size_t from = scheme ? (size_t)(scheme - url.data) + 3 : 0;
	const char *path = memchr(url.data + from, '/', url.len - from);
	return path ? (struct span){path, url.len - (size_t)(path - url.data)} : (struct span){0};
}

static void take_entry(struct reader *r, const struct outline_event *e)
{
	static const char *const METHOD[] = {"request", "method"},
	                         *const URL[] = {"request", "url"},
	                         *const TEXT[] = {"request", "postData", "text"},
	                         *const WHEN[] = {"startedDateTime"};
	const struct request_sink *s = r->sink;
	struct request_found found = {.line = e->line};
	if (e->too_long) {
		s->bad(s->arg, e->line, "it is longer than 64 MiB");
		return;
	}
	if (!find_text(e->value, METHOD, 2, &r->when) || !find_text(e->value, URL, 2, &r->url)) {
		s->bad(s->arg, e->line, "an entry has no method or url");
		return;
	}
	found.target = target_of(buf_span(&r->url));
	if (!endpoint_is_openai(endpoint_of(buf_span(&r->when), found.target))) {
		s->unfit(s->arg, "neither a chat nor a completion");
		return;
	}
	if (!find_text(e->value, TEXT, 3, &r->body)) {
		s->unfit(s->arg, "its body was not recorded");
		return;
	}
	found.body = buf_span(&r->body);
	if (find_text(e->value, WHEN, 1, &r->when)) {
		(void)!timestamp_parse(buf_span(&r->when), &found.wall_ns);
	}
	s->request(s->arg, &found);
}

static int read_file(const struct request_file *f, const struct request_sink *sink)
{
	static const struct outline_rule RULES[] = {
	        {NULL, false}, {"log", false}, {"entries", false}};
	struct reader r = {.sink = sink};
	struct outline *o = outline_create(f->file, RULES, ARRAY_LEN(RULES));
	struct outline_event e;
	for (outline_next(o, &e); e.type != OUTLINE_END && e.type != OUTLINE_ERROR;
	        outline_next(o, &e)) {
		if (e.type == OUTLINE_VALUE && e.depth == 3) {
			take_entry(&r, &e);
		}
	}
	if (e.type == OUTLINE_ERROR) {
		sink->bad(sink->arg, e.line, e.why);
	}
	outline_destroy(o);
	buf_finish(&r.url);
	buf_finish(&r.body);
	buf_finish(&r.when);
	return ferror(f->file) ? -EIO : 0;
}

static bool fits(const struct sniff *s)
{
	return sniff_has(s, 1, "log") && (sniff_has(s, 2, "entries") || sniff_has(s, 2, "creator"));
}

const struct request_format requests_har = {
        .name = "har",
        .title = "HAR 1.2, as browsers and mitmproxy export it",
        .fits = fits,
        .read = read_file,
};
