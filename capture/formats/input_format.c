#include "capture/formats/input_format.h"

#include "capture/formats/digest_map.h"
#include "capture/formats/origin_id.h"

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

/* A file of answers is read as the requests that they belong to, each once: if several backends
 * answered a request, it is one request. */
struct answers_reader {
	const struct format_sink *sink;
	struct digest_map delivered; /* requests already delivered */
	struct buf body;
};

/* The same prompt is a different request if it belongs to another item of a suite. */
static bool is_new(struct answers_reader *r, const struct imported_answer *a)
{
	uint8_t key[DIGEST_KEY_SIZE];
	struct origin_hash h;
	bool is_new_request;
	origin_hash_begin(&h, a->is_completion ? "completion" : "chat");
	const struct span all[] = {
	        a->prompt, a->parameters, a->suite, a->item, a->category, a->gold};
	for (size_t i = 0; i < ARRAY_LEN(all); i++) {
		origin_hash_span(&h, all[i]);
	}
	origin_hash_end(&h, key);
	digest_map_at(&r->delivered, key, &is_new_request);
	return is_new_request;
}

/* The request is sent to another backend, so it does not name the model that answered. */
static void on_answer(void *arg, const struct imported_answer *a)
{
	struct answers_reader *r = arg;
	struct imported_answer without_model = *a;
	size_t head;
	if (!is_new(r, a)) {
		return;
	}
	without_model.model = (struct span){0};
	buf_clear(&r->body);
	imported_answer_put_request(&without_model, &r->body, &head);
	const struct request_found found = {
	        .body = buf_span(&r->body),
	        .target = a->is_completion ? REQUEST_COMPLETION : REQUEST_CHAT,
	        .suite = a->suite,
	        .item = a->item,
	        .category = a->category,
	        .gold = a->gold,
	        .line = a->line,
	};
	r->sink->request(r->sink->arg, &found);
}

static void on_bad(void *arg, uint64_t line, const char *why)
{
	struct answers_reader *r = arg;
	r->sink->bad(r->sink->arg, line, why);
}

static void on_unfit(void *arg, uint64_t line, const char *why)
{
	struct answers_reader *r = arg;
	r->sink->unfit(r->sink->arg, line, why);
}

static int read_answers(const struct input_format *format, const struct format_file *f,
        const struct format_sink *sink)
{
	struct answers_reader r = {.sink = sink};
	/* There are no notes: they are about answers, for example their scores. */
	const struct format_sink answers = {
	        .answer = on_answer, .bad = on_bad, .unfit = on_unfit, .arg = &r};
	struct format_file file = *f;
	file.backend = SPAN("asked");
	file.role = ROLE_CANDIDATE;
	int code = format->read(&file, &answers);
	digest_map_finish(&r.delivered);
	buf_finish(&r.body);
	return code;
}

int input_format_read_requests(const struct input_format *format, const struct format_file *f,
        const struct format_sink *sink)
{
	if (format->only_answers) {
		return read_answers(format, f, sink);
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
