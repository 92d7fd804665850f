#pragma once
/*
 * source - where the requests of a replay come from: a capture, a file with a request a line, a suite, or
 * any file that capture/formats/requests.h knows.
 *
 * source_scan() once, into a plan; then source_load() for each send, from one other thread if need be: never
 * both at once.
 *
 * A line is a request's body (with messages: a chat, with a prompt: a completion), or a request as OpenAI's
 * batch files have it: custom_id, method, url, body. There custom_id names the item, and a member labels
 * (suite, item, category, gold) may say more of it. Its exchange has an id that is made of the line's
 * number and bytes, so that the same file gives the same exchanges. wall_ns beside the body says when it
 * was first sent.
 *
 * A suite (suite.h) is told by its first line; its requests name no model. Files of other kinds are read
 * once, into lines of this kind in a temporary file.
 */
#include <stdbool.h>
#include <stdint.h>

#include "backends/dialect.h"
#include "base/buf.h"
#include "capture/capture.h"
#include "capture/formats/trace_units.h"
#include "replay/choice.h"
#include "replay/plan.h"
#include "base/reasons.h"

#define SOURCE_MODELS_LIMIT 64

struct source;

/* The capture stays the caller's and must outlive the source. */
struct source *source_capture(struct capture *c);
/* hash_key: of the capture in which the exchanges will be; units: of a trace. NULL and a sentence: it can't be opened. */
struct source *source_lines(const char *path, const uint8_t hash_key[32],
        const struct trace_units *units, char **ret_error);
void source_destroy(struct source *s);
/* From now on the recorded answers are loaded beside the requests, where there are any. */
void source_recall(struct source *s);
/* What kind of file it is; NULL: a capture, or lines. */
const struct request_format *source_format(const struct source *s);
bool source_is_suite(const struct source *s);

struct source_scan {
	const struct choice_rules *rules;
	uint64_t limit; /* of requests; or, if even, of sessions, in turns from all categories */
	bool even;
	struct plan *plan;
	bool placeholders;          /* requests of a redacted capture are sent with them too */
	uint64_t redacted;          /* of those planned: so many have some */
	struct reasons *unfit;      /* requests that can't be replayed, and why */
	uint64_t found, not_chosen; /* of all; by the rules or the limit */
	uint64_t timed;             /* of those planned: the source says when they came */
	uint64_t open;              /* of those planned: their history wants answers of this run */
	char *models[SOURCE_MODELS_LIMIT]; /* that are asked for, each once; source_scan_finish() */
	size_t n_models;
	struct reasons
	        values[FILTERS_LIMIT]; /* by filter: what its key is in all that could be chosen */
};
/* 0, or -errno of reading. */
int source_scan(struct source *s, struct source_scan *scan) MUST_CHECK;
void source_scan_finish(struct source_scan *scan);

struct source_body {
	enum endpoint endpoint;
	char *target;    /* path and query, as the client sent it */
	struct buf body; /* as the client sent it */
	struct request_facts facts;
	const struct dialect *from; /* of who answered it in the source; generic where nobody did */
	struct sampling told;       /* that engine's defaults, as it told them */
	struct buf
	        recorded; /* what the primary said then, the first choice's text; source_recall() */
	bool has_recorded;
	uint64_t answered_ns;    /* wall clock: when the recorded answer ended; 0: not known */
	bool history_open;       /* an empty answer stands where one before this turn should */
	bool is_new;             /* no capture holds the exchange: row is to be written */
	struct exchange_row row; /* where it is new; without outcome */
};
/* NULL, or why this request can't be sent (*ret is nothing then): one sentence without a full stop. */
const char *source_load(
        struct source *s, const struct plan_request *r, struct source_body *ret) MUST_CHECK;
void source_body_finish(struct source_body *b);
