#pragma once
/*
 * export_format - the formats in which a capture is written for other tools: its requests, and
 * their answers if the format has them.
 *
 * What a format cannot hold is counted, and so are exchanges that it cannot hold at all. Formats
 * write UTF-8 text, one exchange after another. One thread.
 */
#include "base/buf.h"
#include "base/error_tally.h"
#include "capture/capture.h"
#include "capture/formats/memo.h"

enum export_room { /* what a format can hold; the rest of an exchange is counted as lost */
	EXPORT_BODIES = 1u << 0,  /* complete requests */
	EXPORT_ANSWERS = 1u << 1, /* one answer for each request */
	EXPORT_TIMES = 1u << 2,
	EXPORT_LABELS = 1u << 3,
	EXPORT_ALL = 1u << 4, /* everything */
	EXPORT_PARAMETERS =
	        /* models and parameters; the format itself counts those for which it has no name */
	1u << 5,
	EXPORT_PAIRS = 1u << 6, /* several answers for each request; the format says how many */
};

struct exporter {
	struct capture *capture;
	/* the backend whose answers to write; NULL: the primary's answers, else the first ones */
	const char *backend;
	struct error_tally left_out, lost; /* exchanges left out; parts of others that were lost */
	uint64_t first_ns;                 /* wall clock of the first exchange */
	uint64_t written;
	size_t held; /* EXPORT_PAIRS: answers of the current exchange that are written */
	/* For the formats: */
	struct memo seen;
	uint64_t bytes, tokens; /* of all prompts */
};

struct export_format {
	const char *name; /* of --as */
	const char *title;
	unsigned room; /* enum export_room */
	/* Called with all exchanges before the first is written; NULL: not needed. */
	void (*look)(struct exporter *x, const struct capture_exchange *e);
	/* Appends one exchange. Returns NULL, or why the format cannot hold it; then nothing was
	 * appended. */
	const char *(*put)(struct exporter *x, const struct capture_exchange *e, struct buf *to);
	/* text before, between and after exchanges; NULL: nothing */
	const char *begin, *between, *end;
};

extern const struct export_format export_jsonl, export_batch, export_batch_output, export_raw,
        export_evalscope, export_vllm, export_mooncake, export_aiperf, export_sharegpt, export_har,
        export_gor, export_otel, export_burstgpt, export_azure, export_infer_check,
        export_infer_check_suite;

const struct export_format *const *export_formats(size_t *ret_n);
const struct export_format *export_format_find(
        const char *name); /* NULL: there is none of this name */

/* Appends an exchange, with the format's separators, and counts what is lost. */
void exporter_put(struct exporter *x, const struct export_format *f,
        const struct capture_exchange *e, struct buf *to);
/* frees its sets and reasons; the capture belongs to the caller */
void exporter_finish(struct exporter *x);

/* For formats: */

/* The answer that is written with the request. False: there is none. */
bool exporter_leg(const struct exporter *x, const struct capture_exchange *e, size_t *ret);
/* True if private text in the leg's answer was replaced. */
bool export_is_redacted(const struct leg_row *row);
/* Appends the body of that leg's answer without a content coding. False: the body is not stored
 * completely and unchanged, or cannot be read. */
bool exporter_answer(struct exporter *x, const struct capture_exchange *e, size_t leg,
        struct buf *to) MUST_CHECK;
/* The engine's token counts for the answer that is written; NULL: none. */
const struct usage *exporter_usage(const struct exporter *x, const struct capture_exchange *e);
/* The reading of an answer that is complete and unchanged and has a choice; else NULL. */
struct reading *exporter_reading(
        struct exporter *x, const struct capture_exchange *e, size_t leg) MUST_CHECK;
/*
 * Appends the text of a chat's first choice. False: there is none, or it has calls. Separate
 * reasoning is appended to *reasoning; NULL: the format cannot hold it, and it is counted.
 */
bool exporter_said(struct exporter *x, const struct capture_exchange *e, size_t leg, struct buf *to,
        struct buf *reasoning) MUST_CHECK;
/* Appends the request's body. Returns NULL, or why there is none. */
const char *exporter_body(struct exporter *x, const struct capture_exchange *e, struct buf *to);
/* As exporter_body() for chats and completions only, which are one JSON object; nothing else can be
 * replayed. */
const char *exporter_request(struct exporter *x, const struct capture_exchange *e, struct buf *to);
/* True if the object has the member, and it is not null. */
bool export_has(struct span object, const char *member) MUST_CHECK;
/* Appends a message's content if it is a text, or a list of texts, which are joined. False: it
 * is or contains something else. */
bool exporter_content(struct span content, struct buf *to) MUST_CHECK;
/* Calls `each` for every message of a chat, in order; all contents must be texts. Returns NULL,
 * or why the chat has something else. */
typedef void (*export_message_fn)(void *arg, struct span role, struct span text);
const char *exporter_messages(struct span body, export_message_fn each, void *arg);
/* Appends the text of a chat that consists of a single user message. Returns NULL, or why it
 * does not. */
const char *exporter_question(struct span body, struct buf *to);
/* Calls `each` for every field of a head, except those of the connection or the body's coding. */
typedef void (*export_field_fn)(void *arg, struct span name, struct span value);
void exporter_fields(struct span head, export_field_fn each, void *arg);
/* "http://host:8000", from a URL. */
struct span exporter_origin(const char *url);
/* Nanoseconds since the first exchange. */
uint64_t exporter_ns(const struct exporter *x, const struct capture_exchange *e);
