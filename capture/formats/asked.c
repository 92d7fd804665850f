/*
 * Reads result files as requests: the requests that their answers belong to, each once. Supports
 * infer-check's results and lm-eval's samples. The backend that answered is not part of a request:
 * if several backends answered, it is one request. The backend that it is sent to now is chosen
 * elsewhere.
 */
#include <errno.h>

#include "capture/formats/import_format.h"
#include "capture/formats/memo.h"
#include "capture/formats/origin_id.h"
#include "capture/formats/requests.h"

struct asker {
	const struct request_sink *sink;
	struct memo seen; /* requests already delivered */
	struct buf body;
};

/* The same prompt is a different request if it belongs to another item of a suite. */
static bool is_new(struct asker *r, const struct imported_answer *a)
{
	uint8_t key[MEMO_KEY_SIZE];
	struct origin_hash h;
	bool fresh;
	origin_hash_begin(&h, a->is_completion ? "completion" : "chat");
	const struct span all[] = {
	        a->prompt, a->parameters, a->suite, a->item, a->category, a->gold};
	for (size_t i = 0; i < ARRAY_LEN(all); i++) {
		origin_hash_span(&h, all[i]);
	}
	origin_hash_end(&h, key);
	memo_at(&r->seen, key, &fresh);
	return fresh;
}

static void on_answer(void *arg, const struct imported_answer *a)
{
	struct asker *r = arg;
	struct imported_answer asked = *a;
	size_t head;
	if (!is_new(r, a)) {
		return;
	}
	asked.model = (struct span){0};
	buf_clear(&r->body);
	imported_answer_put_request(&asked, &r->body, &head);
	const struct request_found found = {
	        .body = buf_span(&r->body),
	        .target = a->is_completion ? REQUESTS_COMPLETION : REQUESTS_CHAT,
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
	struct asker *r = arg;
	r->sink->bad(r->sink->arg, line, why);
}

static void on_unfit(void *arg, uint64_t line, const char *why)
{
	struct asker *r = arg;
	r->sink->unfit(r->sink->arg, line, why);
}

/* Notes are ignored: they are about answers, for example their scores. */
static void on_note(void *arg, const char *why)
{
}

static void on_progress(void *arg)
{
}

static bool never_stopped(void *arg)
{
	return false;
}

int requests_read_answers(const struct import_format *format, const struct request_file *f,
        const struct request_sink *sink)
{
	struct asker r = {.sink = sink};
	const struct import_sink answers = {
	        on_answer, on_bad, on_unfit, on_note, on_progress, never_stopped, &r};
	const struct import_file file = {
	        .file = f->file,
	        .name = f->suite,
	        .backend = SPAN("asked"),
	        .role = ROLE_CANDIDATE,
	        .time_ns = f->time_ns,
	};
	int code = format->read(&file, &answers);
	memo_finish(&r.seen);
	buf_finish(&r.body);
	return code;
}

const struct request_format requests_of_infer_check = {
        .name = "infer-check-results",
        .title = "infer-check's results: what was asked, each prompt once",
        .answers = &import_format_infer_check,
};

const struct request_format requests_of_lm_eval = {
        .name = "lm-eval",
        .title = "lm-evaluation-harness's samples: what was asked, each prompt once",
        .answers = &import_format_lm_eval,
};

/* A batch's output contains nothing of its requests but their ids. */
const struct request_format requests_of_batch_output = {
        .name = "batch-output",
        .title = "OpenAI's batch output",
        .answers = &import_format_batch,
        .instead = "it is OpenAI's batch output, which holds answers and not their requests: "
                   "replay the batch's input, or import this file, with the batch's input as "
                   "--requests, and replay the capture that this makes",
};
