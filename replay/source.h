#pragma once
/*
 * source - the requests of a replay: from a capture, a file with one request a line, a suite, or
 * any file that capture/formats/requests.h reads.
 *
 * source_scan() once, into a plan; then source_load() for each send, possibly from another thread,
 * but never both at once.
 *
 * A line is a request's body (with messages: a chat, with a prompt: a completion), or a request in
 * the form of OpenAI's batch files: custom_id, method, url, body. custom_id names the item, and a
 * member `labels` may add suite, item, category and gold. The exchange's id is made of the line's
 * number and bytes, so that the same file gives the same exchanges. wall_ns beside the body is the
 * time at which it was first sent.
 *
 * A suite (suite.h) is recognised by its first line; its requests name no model. Files of other
 * kinds are converted once into lines of this kind in a temporary file.
 */
#include <stdbool.h>
#include <stdint.h>

#include "backends/dialect.h"
#include "base/buf.h"
#include "base/error_tally.h"
#include "capture/capture.h"
#include "capture/formats/trace_units.h"
#include "replay/choice.h"
#include "replay/plan.h"

#define SOURCE_MODELS_LIMIT 64

struct source;

/* The capture must outlive the source. */
struct source *source_capture(struct capture *c);
/* hash_key: of the capture that will hold the exchanges. units: of a trace. Returns NULL and a
 * sentence if the file cannot be opened. */
struct source *source_lines(const char *path, const uint8_t hash_key[32],
        const struct trace_units *units, char **ret_error);
void source_destroy(struct source *s);
/* From now on source_load() also loads recorded answers. */
void source_recall(struct source *s);
/* The kind of file; NULL: a capture, or lines. */
const struct request_format *source_format(const struct source *s);
bool source_is_suite(const struct source *s);

struct source_scan {
	const struct choice_rules *rules;
	/* the most requests; if `even`, the most sessions, taken in turn from all categories */
	uint64_t limit;
	bool even;
	struct plan *plan;
	/* requests of a redacted capture are sent with their placeholders */
	bool placeholders;
	uint64_t redacted;         /* planned requests that have placeholders */
	struct error_tally *unfit; /* requests that cannot be replayed, by reason */
	/* all requests in the source; those that the rules or the limit left out */
	uint64_t found, not_chosen;
	uint64_t timed; /* planned requests whose source states their time */
	uint64_t open;  /* planned requests whose history needs answers of this run */
	/* the models requested, each once; source_scan_finish() */
	char *models[SOURCE_MODELS_LIMIT];
	size_t n_models;
	struct error_tally
	        /* for each filter: the values that its key has in all requests */
	        values[FILTERS_LIMIT];
};
/* Returns 0, or -errno if reading fails. */
int source_scan(struct source *s, struct source_scan *scan) MUST_CHECK;
void source_scan_finish(struct source_scan *scan);

struct source_body {
	enum endpoint endpoint;
	char *target;    /* path and query, as the client sent it */
	struct buf body; /* as the client sent it */
	struct request_facts facts;
	/* the dialect of the backend that answered it in the source; generic if not known */
	const struct dialect *from;
	struct sampling told; /* that engine's defaults, as it stated them */
	struct buf recorded;  /* the primary's recorded answer, first choice; source_recall() */
	bool has_recorded;
	uint64_t answered_ns;    /* end of the recorded answer, wall clock; 0: unknown */
	bool history_open;       /* its history has an empty answer before this turn */
	bool is_new;             /* no capture has the exchange: `row` must be written */
	struct exchange_row row; /* if is_new; without an outcome */
};
/* Returns NULL, or why this request cannot be sent (*ret is then not set): one sentence without a
 * full stop. */
const char *source_load(
        struct source *s, const struct plan_request *r, struct source_body *ret) MUST_CHECK;
void source_body_finish(struct source_body *b);
