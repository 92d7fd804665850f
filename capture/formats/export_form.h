#pragma once
/*
 * export_form - the forms in which a capture is written for other tools: its requests, and their answers where
 * a form has room for them.
 *
 * What a form cannot hold is counted, as are exchanges that have no place in it at all. Forms write UTF-8 text, one
 * exchange after another. One thread.
 */
#include "base/buf.h"
#include "base/error_tally.h"
#include "capture/capture.h"
#include "capture/formats/memo.h"

enum export_room { /* what a form has room for; the rest of an exchange is counted as lost */
	EXPORT_BODIES = 1u << 0,  /* all that a request asked for */
	EXPORT_ANSWERS = 1u << 1, /* one for each request */
	EXPORT_TIMES = 1u << 2,
	EXPORT_LABELS = 1u << 3,
	EXPORT_ALL = 1u << 4, /* nothing is lost */
	EXPORT_PARAMETERS =
	        1u << 5, /* models and parameters; the form counts those that it has no name for */
	EXPORT_PAIRS = 1u << 6, /* several answers for each request: the form tells how many */
};

struct exporter {
	struct capture *capture;
	const char *backend; /* whose answers; NULL: the primary's, else the first ones */
	struct error_tally left_out, lost; /* exchanges; what else had no place */
	uint64_t first_ns;                 /* wall clock of the first exchange */
	uint64_t written;
	size_t held; /* EXPORT_PAIRS: answers of the exchange under way that are in the file */
	/* Forms' own: */
	struct memo seen;
	uint64_t bytes, tokens; /* of all prompts */
};

struct export_form {
	const char *name; /* of --as */
	const char *title;
	unsigned room; /* enum export_room */
	/* Where a form must have seen all exchanges before it writes the first; NULL: it need not. */
	void (*look)(struct exporter *x, const struct capture_exchange *e);
	/* Appends one exchange. NULL, or why it has no place; then nothing was appended. */
	const char *(*put)(struct exporter *x, const struct capture_exchange *e, struct buf *to);
	const char *begin, *between, *end; /* around and between them; NULL: nothing */
};

extern const struct export_form export_jsonl, export_batch, export_batch_output, export_raw,
        export_evalscope, export_vllm, export_mooncake, export_aiperf, export_sharegpt, export_har,
        export_gor, export_otel, export_burstgpt, export_azure, export_infer_check,
        export_infer_check_suite;

const struct export_form *const *export_forms(size_t *ret_n);
const struct export_form *export_form_find(const char *name); /* NULL: none is called so */

/* Appends the exchange, with what the form wants before it, and counts what is lost. */
void exporter_put(struct exporter *x, const struct export_form *f, const struct capture_exchange *e,
        struct buf *to);
void exporter_finish(struct exporter *x); /* its sets and reasons; the capture is the caller's */

/* For forms. */

/* The answer that goes along. False: there is none. */
bool exporter_leg(const struct exporter *x, const struct capture_exchange *e, size_t *ret);
/* Something private in it was replaced: it is no longer what was answered. */
bool export_is_redacted(const struct leg_row *row);
/* Its body as text: without a content coding. False: it is not stored whole and as it was, or can't be read. */
bool exporter_answer(struct exporter *x, const struct capture_exchange *e, size_t leg,
        struct buf *to) MUST_CHECK;
/* What the engine counted of the answer that goes along; NULL: it did not, or there is none. */
const struct usage *exporter_usage(const struct exporter *x, const struct capture_exchange *e);
/* An answer that came whole and as it was, with a choice in it. NULL: it did not. */
struct reading *exporter_reading(
        struct exporter *x, const struct capture_exchange *e, size_t leg) MUST_CHECK;
/*
 * What a chat's answer said to its user: text of its first choice. False: there is none, or calls are in it. Reasoning that
 * stood apart is appended to *reasoning; NULL: the form has no place for it, and it is counted.
 */
bool exporter_said(struct exporter *x, const struct capture_exchange *e, size_t leg, struct buf *to,
        struct buf *reasoning) MUST_CHECK;
/* The request's body, appended. NULL, or why there is none. */
const char *exporter_body(struct exporter *x, const struct capture_exchange *e, struct buf *to);
/* The same of chats and completions alone, which are one JSON object; nothing else is replayed. */
const char *exporter_request(struct exporter *x, const struct capture_exchange *e, struct buf *to);
/* A message's content that is a text, or a list of texts, which are joined; appended. False: it is more than that. */
bool exporter_content(struct span content, struct buf *to) MUST_CHECK;
/* Each message of a chat that is made of texts alone, in order. NULL, or why they are not. */
typedef void (*export_message_fn)(void *arg, struct span role, struct span text);
const char *exporter_messages(struct span body, export_message_fn each, void *arg);
/* The text of a chat that is one message of a user and nothing else, appended. NULL, or why it is not. */
const char *exporter_question(struct span body, struct buf *to);
/* Appends a head's fields without those that speak of one connection or of the body's coding. */
typedef void (*export_field_fn)(void *arg, struct span name, struct span value);
void exporter_fields(struct span head, export_field_fn each, void *arg);
/* "http://host:8000", from a URL. */
struct span exporter_origin(const char *url);
/* Since the first exchange. */
uint64_t exporter_ns(const struct exporter *x, const struct capture_exchange *e);
