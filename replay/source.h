#pragma once
/*
 * source - the requests of a replay: from a capture, a file with one request a line, a suite, or
 * any file that capture/formats/requests.h reads.
 *
 * Call source_scan() once, which fills a plan; then source_load() for each send, possibly from
 * another thread, but never both at once.
 *
 * A line is the body of a request (with messages: a chat; with a prompt: a completion), or a
 * request in the form of OpenAI's batch files: custom_id, method, url, body. custom_id names the
 * item, and a member `labels` may add suite, item, category and gold. The exchange's id is made
 * from the line's number and bytes, so that the same file gives the same exchanges. The member
 * wall_ns next to the body is the time at which the request was first sent.
 *
 * A suite (suite.h) is recognised by its first line; its requests name no model. Files of other
 * kinds are converted once, into such lines in a temporary file.
 */
#include <stdbool.h>
#include <stdint.h>

#include "backends/dialect.h"
#include "base/buf.h"
#include "base/error_tally.h"
#include "capture/capture.h"
#include "capture/formats/trace_units.h"
#include "replay/request_choice.h"
#include "replay/plan.h"

#define SOURCE_MODELS_LIMIT 64

struct source;

/* The capture must outlive the source. */
struct source *source_capture(struct capture *c);
/* hash_key: of the capture that will hold the exchanges. units: of the numbers in a trace. NULL:
 * the file cannot be opened; *ret_error is then a sentence that the caller frees. */
struct source *source_lines(const char *path, const uint8_t hash_key[32],
        const struct trace_units *units, char **ret_error);
void source_destroy(struct source *s);
/* Makes source_load() load recorded answers too. */
void source_load_answers(struct source *s);
/* The format of a file that was converted; NULL: the source is a capture, lines or a suite. */
const struct request_format *source_format(const struct source *s);
bool source_is_suite(const struct source *s);

struct source_scan {
	const struct request_choice_rules *rules;
	/* the most requests; if `even` is set, the most sessions, one of each category in turn */
	uint64_t limit;
	bool even;
	struct plan *plan;
	/* plan also requests of a redacted capture, with their placeholders */
	bool placeholders;
	uint64_t redacted;         /* result: planned requests that have placeholders */
	struct error_tally *unfit; /* result: requests that cannot be replayed, by reason */
	/* result: all requests in the source; those that rules or limit left out */
	uint64_t found, not_chosen;
	uint64_t timed; /* result: planned requests whose time is known */
	uint64_t open;  /* result: planned requests whose history needs answers of this run */
	/* result: the requested models, each once; source_scan_finish() frees them */
	char *models[SOURCE_MODELS_LIMIT];
	size_t n_models;
	/* result, for each filter: the values that its key has in all requests */
	struct error_tally values[FILTERS_LIMIT];
};
/* Returns 0, or -errno if reading fails. */
int source_scan(struct source *s, struct source_scan *scan) MUST_CHECK;
void source_scan_finish(struct source_scan *scan);

struct source_body {
	enum endpoint endpoint;
	char *target;    /* path and query, as the client sent it */
	struct buf body; /* as the client sent it */
	struct request_facts facts;
	/* dialect of the backend that answered it in the source; generic: unknown */
	const struct dialect *from;
	struct sampling told; /* sampling defaults that this backend stated */
	/* first choice of the primary's recorded answer; after source_load_answers() */
	struct buf recorded;
	bool has_recorded;
	uint64_t answered_ns;    /* end of the recorded answer, wall clock; 0: unknown */
	bool history_open;       /* its history has an empty answer, which this run must fill */
	bool is_new;             /* no capture has the exchange, so `row` must be recorded */
	struct exchange_row row; /* set if is_new; without an outcome */
};
/* Returns NULL, or why this request cannot be sent: one sentence without a full stop; *ret is
 * then not set. */
const char *source_load(
        struct source *s, const struct plan_request *r, struct source_body *ret) MUST_CHECK;
void source_body_finish(struct source_body *b);
