#include "capture/formats/requests_of_answers.h"

#include "capture/formats/digest_map.h"
#include "capture/formats/origin_id.h"

struct reader {
	const struct format_sink *sink;
	struct digest_map delivered; /* requests already delivered */
	struct buf body;
};

/* The same prompt is a different request if it belongs to another item of a suite. */
static bool is_new(struct reader *r, const struct imported_answer *a)
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
	struct reader *r = arg;
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
	struct reader *r = arg;
	r->sink->bad(r->sink->arg, line, why);
}

static void on_unfit(void *arg, uint64_t line, const char *why)
{
	struct reader *r = arg;
	r->sink->unfit(r->sink->arg, line, why);
}

int requests_of_answers(const struct import_format *format, const struct format_file *f,
        const struct format_sink *sink)
{
	struct reader r = {.sink = sink};
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
