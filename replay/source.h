#pragma once
/*
 * source - the requests of a replay: from a capture, a file with one request a line, a suite, or
 * any file that capture/formats/input_formats.h reads.
 *
 * Call source_scan() once, which fills a plan; then source_load() for each send. The calls may come
 * from different threads, but not at the same time.
 *
 * A line is one of these JSON objects:
 *
 *	a request's body              with `messages`: a chat; with `prompt`: a completion
 *	a request of an OpenAI batch  custom_id, method, url, body
 *
 * In the second form, custom_id names the item, a member `labels` may add suite, item, category and
 * gold, and wall_ns may state when the request was first sent. The exchange's id depends on the
 * line's number and bytes only, so the same file gives the same exchanges.
 *
 * A suite (suite.h) is recognised by its first record; its requests name no model. Files of other
 * kinds are converted to lines, once, in a temporary file.
 */
#include <stdbool.h>
#include <stdint.h>

#include "backends/dialects/dialect.h"
#include "base/buf.h"
#include "base/error_tally.h"
#include "capture/capture.h"
#include "capture/formats/trace_units.h"
#include "replay/request_choice.h"
#include "replay/plan.h"

#define SOURCE_MODELS_LIMIT 64

struct source;

/* The requests of a capture, which must outlive the source. */
struct source *source_capture(struct capture *c);
/* The requests of a file. hash_key (copied): the key of the capture that will hold the exchanges.
 * units (not NULL): of the numbers in a trace. Returns NULL if the file cannot be opened or
 * converted, or has no such numbers; *ret_error is then a sentence that the caller frees. */
struct source *source_lines(const char *path, const uint8_t hash_key[32],
        const struct trace_units *units, char **ret_error);
void source_destroy(struct source *s);
/* Makes source_load() load recorded answers too; captures only. */
void source_load_answers(struct source *s);
/* The format of a file that was converted; NULL: nothing was converted. */
const struct input_format *source_format(const struct source *s);
bool source_is_suite(const struct source *s);

struct source_scan {
	const struct request_choice_rules *rules;
	/* the most requests to plan, or sessions if `even`; UINT64_MAX: no limit */
	uint64_t limit;
	bool even; /* `limit` counts sessions, which are taken from the categories in turn */
	struct plan *plan; /* source_scan() also calls plan_link() */
	bool placeholders; /* also plan requests in which placeholders replace private texts */
	uint64_t redacted; /* result: number of planned requests with placeholders */
	/* result: requests that cannot be replayed, by reason; the caller's tally */
	struct error_tally *unfit;
	/* result: number of requests in the source; number of those that the rules or the limit
	 * left out */
	uint64_t found, not_chosen;
	/* result: number of planned requests whose first time of sending is known */
	uint64_t timed;
	uint64_t open; /* result: number of planned requests whose history has an empty answer */
	/* result: the first requested models, each once; "": some requests name none */
	char *models[SOURCE_MODELS_LIMIT];
	size_t n_models;
	/* result: for each filter of the rules, the values that its key has in all requests */
	struct error_tally values[FILTERS_LIMIT];
};
/* Returns 0; -E2BIG: there are more requests than a plan can have; or another -errno if reading
 * fails. Call source_scan_finish() in all cases; it frees `models` and `values`. */
int source_scan(struct source *s, struct source_scan *scan) MUST_CHECK;
void source_scan_finish(struct source_scan *scan);

struct source_body {
	enum endpoint endpoint;
	char *target;    /* path and query, as the client sent it */
	struct buf body; /* as the client sent it */
	struct request_facts facts;
	/* dialect of the backend that answered it in the source; generic: unknown */
	const struct dialect *from;
	/* sampling defaults of that backend, as it stated them; NaN: unknown */
	struct sampling defaults;
	/* if has_recorded (source_load_answers()): text of the recorded answer's first choice */
	struct buf recorded;
	bool has_recorded;
	uint64_t answered_ns; /* wall clock ns; end of the recorded answer; 0: unknown */
	/* its history has an empty answer, which this run's answer must replace */
	bool history_open;
	/* no capture has the exchange, because it comes from a file; `row` must be recorded */
	bool is_new;
	struct exchange_row row; /* the exchange's row without an outcome; set if is_new */
};
/* Appends a line in the second of the forms above. suite: NULL: none; wall_ns: 0: unknown. */
void source_put_line(struct buf *to, const char *custom_id, const char *url, const char *suite,
        uint64_t wall_ns, struct span body);
/* Reads a request for sending. Returns NULL, or a static text without a full stop: why it cannot be
 * sent; *ret is then unchanged. Free *ret with source_body_finish(). */
const char *source_load(
        struct source *s, const struct plan_request *r, struct source_body *ret) MUST_CHECK;
void source_body_finish(struct source_body *b);
