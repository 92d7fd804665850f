/*
 * GoReplay's .gor files: requests, and answers with the same ids.
 */
#include <errno.h>
#include <string.h>

#include "answers/request.h"
#include "base/ascii.h"
#include "capture/formats/address.h"
#include "capture/formats/gor_record.h"
#include "capture/formats/digest_map.h"
#include "capture/formats/input_format.h"

/* Reads the request's target. Returns NULL, or what is wrong with it; *ret_bad: the record is
 * damaged. */
static const char *read_target(const struct gor_record *g, struct buf *to, bool *ret_bad)
{
	struct span rest = g->first;
	const char *first = memchr(rest.data, ' ', rest.len);
	size_t method = first ? (size_t)(first - rest.data) : rest.len;
	struct span target = span_from(rest, first ? method + 1 : method);
	const char *second = target.len ? memchr(target.data, ' ', target.len) : NULL;
	*ret_bad = !second || method == 0;
	if (*ret_bad) {
		return "a request has no request line";
	}
	target.len = (size_t)(second - target.data);
	if (!target.len || !address_target(target, to)) {
		return "its url is not valid in a request";
	}
	return endpoint_is_openai(endpoint_of((struct span){rest.data, method}, buf_span(to)))
	               ? NULL
	               : "neither a chat nor a completion";
}

static int read_requests(const struct format_file *f, const struct format_sink *s)
{
	struct gor_reader r;
	struct gor_record g;
	struct buf target = {0};
	gor_reader_init(&r, f->file);
	while (gor_reader_next(&r, &g)) {
		bool bad = true;
		if (!g.why && g.kind != GOR_REQUEST) {
			continue;
		}
		const char *why = g.why ? g.why : read_target(&g, &target, &bad);
		if (why) {
			format_reject(s, bad, bad ? g.line : 0, why);
		} else {
			s->request(s->arg, &(struct request_found){
			                           .body = g.body,
			                           .target = buf_span(&target),
			                           .wall_ns = g.ns,
			                           .line = g.line,
			                   });
		}
	}
	gor_reader_finish(&r);
	buf_finish(&target);
	return ferror(f->file) ? -EIO : 0;
}

enum id_state {
	ID_OTHER,
	ID_CHAT,
	ID_ANSWERED,
	ID_SHARED
}; /* state of an id: not that of a chat; that of one chat; answered; shared by several requests */

struct reader {
	const struct format_file *file;
	const struct format_sink *sink;
	struct digest_map requests; /* by id: offset in the file, plus one; enum id_state */
	struct gor_reader request;
	struct buf target, host, url, replayed;
	uint64_t n_requests, n_answered;
};

static struct digest_entry *request_of(struct reader *r, struct span id)
{
	bool is_new;
	return digest_map_named(&r->requests, "gor", id, &is_new);
}

/* If several requests have the same id, their answers cannot be assigned, so none of these requests
 * is imported. Returns why this request is not. */
static const char *index_again(struct reader *r, struct digest_entry *e, const char *why)
{
	static const char SEVERAL[] = "another request has the same id";
	if (e->extra == ID_CHAT) {
		r->n_requests--;
		r->sink->unfit(r->sink->arg, 0, SEVERAL);
	}
	e->extra = ID_SHARED;
	return why ? why : SEVERAL;
}

static void index_request(struct reader *r, const struct gor_record *g)
{
	const struct format_sink *s = r->sink;
	bool bad = true;
	const char *why = g->why ? g->why : read_target(g, &r->target, &bad);
	if (why && bad) {
		s->bad(s->arg, g->line, why);
		return;
	}
	struct digest_entry *e = g->id.len ? request_of(r, g->id) : NULL;
	if (e && e->number) {
		why = index_again(r, e, why);
	} else if (e) {
		e->number = g->offset + 1;
		e->extra = why ? ID_OTHER : ID_CHAT;
	}
	r->n_requests += !why;
	if (why) {
		s->unfit(s->arg, 0, why);
	}
}

/* An answer may precede its request in the file if several threads wrote it. */
static void index_requests(struct reader *r)
{
	struct gor_reader all;
	struct gor_record g;
	gor_reader_init(&all, r->file->file);
	while (!format_stopped(r->sink) && gor_reader_next(&all, &g)) {
		if (g.why || g.kind == GOR_REQUEST) {
			index_request(r, &g);
		}
	}
	gor_reader_finish(&all);
}

/* Reads a request at an offset. The reader of the answers then continues at its own offset. */
static bool read_request_at(struct reader *r, uint64_t offset, struct gor_record *ret)
{
	FILE *file = r->file->file;
	off_t here = ftello(file);
	bool bad;
	gor_reader_finish(&r->request);
	gor_reader_init(&r->request, file);
	bool good = here >= 0 && fseeko(file, (off_t)offset, SEEK_SET) == 0 &&
	            gor_reader_next(&r->request, ret) && !ret->why &&
	            !read_target(ret, &r->target, &bad);
	return fseeko(file, here, SEEK_SET) == 0 && good;
}

/* The backend that requests were replayed to differs from the one that was recorded. */
static void name_backend(struct reader *r, const struct gor_record *g, struct imported_answer *a)
{
	if (g->kind != GOR_REPLAYED) {
		return;
	}
	buf_clear(&r->replayed);
	buf_append_span(&r->replayed, a->backend);
	buf_append_str(&r->replayed, "/replayed");
	a->backend = buf_span(&r->replayed);
	a->role = ROLE_CANDIDATE;
}

static void set_times(
        const struct gor_record *request, const struct gor_record *g, struct imported_answer *a)
{
	uint64_t begin = request->ns, end = g->ns + g->took_ns;
	a->took_us = UINT64_MAX;
	if (!begin || !g->ns || end < begin || g->ns < begin) {
		return;
	}
	a->took_us = (end - begin) / 1000;
	/* For a replayed answer GoReplay writes the time of its request. */
	a->head_us = g->kind == GOR_ANSWER ? (g->ns - begin) / 1000 : 0;
}

static const char *take_answer(
        struct reader *r, const struct gor_record *g, const struct gor_record *request)
{
	struct imported_answer a = {
	        .sent = request->body,
	        .target = buf_span(&r->target),
	        .received = g->body,
	        .status = g->status,
	        .content_type = gor_field(g, "content-type"),
	        .content_encoding = gor_field(g, "content-encoding"),
	        .outcome = g->cut ? OUTCOME_BROKEN : 0,
	        .start_ns = request->ns ? request->ns : r->file->time_ns,
	        .backend = r->file->backend,
	        .role = r->file->role,
	        .identity = g->id,
	        .format = "gor",
	        .file = r->file->name,
	        .line = g->line,
	};
	if (!a.status || !request->body.len) {
		return a.status ? "its request has no body" : "an answer has no status line";
	}
	struct span host = gor_field(request, "host");
	buf_clear(&r->host);
	buf_append_str(&r->host, "http://"); /* GoReplay cannot record encrypted traffic */
	buf_append_span(&r->host, host);
	address_origin(buf_span(&r->host), &r->url);
	a.url = g->kind == GOR_ANSWER ? buf_span(&r->url) : (struct span){0};
	set_times(request, g, &a);
	name_backend(r, g, &a);
	r->sink->answer(r->sink->arg, &a);
	return NULL;
}

static void join(struct reader *r, const struct gor_record *g)
{
	const struct format_sink *s = r->sink;
	struct gor_record request;
	struct digest_entry *e = request_of(r, g->id);
	if (!e->number || !g->id.len) {
		s->unfit(s->arg, 0, "an answer whose request is not in the file");
		return;
	}
	if (e->extra == ID_OTHER || e->extra == ID_SHARED) {
		return; /* already counted with the requests */
	}
	r->n_answered += e->extra == ID_CHAT;
	e->extra = ID_ANSWERED;
	const char *why = read_request_at(r, e->number - 1, &request) ? take_answer(r, g, &request)
	                                                              : "its request can't be read";
	if (why) {
		s->bad(s->arg, g->line, why);
	}
}

static void read_joined(struct reader *r)
{
	struct gor_reader all;
	struct gor_record g;
	gor_reader_init(&all, r->file->file);
	while (!format_stopped(r->sink) && gor_reader_next(&all, &g)) {
		if (!g.why && g.kind != GOR_REQUEST) {
			join(r, &g);
		}
		format_progress(r->sink);
	}
	gor_reader_finish(&all);
	for (; r->n_answered < r->n_requests; r->n_answered++) {
		r->sink->unfit(r->sink->arg, 0, "it has no answer");
	}
}

static int read_file(const struct format_file *f, const struct format_sink *sink)
{
	struct reader r = {.file = f, .sink = sink};
	if (sink->request) {
		return read_requests(f, sink);
	}
	index_requests(&r);
	if (!format_stopped(sink) && fseeko(f->file, 0, SEEK_SET) == 0) {
		read_joined(&r);
	}
	digest_map_finish(&r.requests);
	gor_reader_finish(&r.request);
	buf_finish(&r.target);
	buf_finish(&r.host);
	buf_finish(&r.url);
	buf_finish(&r.replayed);
	return ferror(f->file) ? -EIO : 0;
}

static bool fits(const struct sniff *s)
{
	struct span b = buf_span(&s->begin);
	return b.len > 3 && b.data[0] >= '1' && b.data[0] <= '3' && b.data[1] == ' ' &&
	       memmem(b.data, b.len, GOR_SEPARATOR, sizeof(GOR_SEPARATOR) - 1);
}

const struct input_format input_format_gor = {
        .name = "gor",
        .answers = "GoReplay's .gor files: requests with the answers of the same id",
        .requests = "GoReplay's .gor files",
        .fits = fits,
        .read = read_file,
};
