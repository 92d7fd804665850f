#pragma once
/*
 * export_format - one format in which a capture is written for other tools: its requests, and their
 * answers if the format has them. cli/capture/export_formats.h lists the formats.
 *
 * An exporter counts the exchanges that a format cannot hold, and the parts of others that it
 * cannot hold. Formats write UTF-8 text. Reasons are static. One thread.
 */
#include "base/buf.h"
#include "base/error_tally.h"
#include "capture/capture.h"
#include "capture/formats/digest_map.h"

/* What a format can hold: a set of bits. The rest of an exchange counts as lost. */
enum export_content {
	EXPORT_BODIES = 1u << 0,  /* complete requests */
	EXPORT_ANSWERS = 1u << 1, /* one answer for each request */
	EXPORT_TIMES = 1u << 2,
	EXPORT_LABELS = 1u << 3,
	EXPORT_ALL = 1u << 4, /* everything */
	/* models and parameters; the format itself counts those for which it has no name */
	EXPORT_PARAMETERS = 1u << 5,
	/* several answers for each request; the format sets exporter.n_answers */
	EXPORT_PAIRS = 1u << 6,
};

struct exporter { /* zero-initialise it, and set capture and backend */
	struct capture *capture;
	/* The backend whose answers are written; NULL: the primary, or else the first one. */
	const char *backend;
	/* Exchanges that were left out, and lost parts of the others, by reason. */
	struct error_tally left_out, lost;
	uint64_t first_ns; /* start of the first exchange, ns since 1970 */
	uint64_t written;
	size_t n_answers; /* EXPORT_PAIRS: number of answers written for the current exchange */
	/* The following members are working memory of the formats. */
	struct digest_map known;
	uint64_t bytes, tokens; /* of all prompts so far */
};

struct export_format {
	const char *name; /* its name in --as */
	const char *title;
	unsigned content; /* enum export_content */
	/* Called with each exchange before the first one is written. NULL: not needed. */
	void (*scan)(struct exporter *x, const struct capture_exchange *e);
	/* Appends one exchange, and counts in x->lost what the format cannot hold of it. Returns
	 * NULL; or a reason why the format cannot hold the exchange. exporter_put() then removes
	 * what was appended, but not what was counted. */
	const char *(*put)(struct exporter *x, const struct capture_exchange *e, struct buf *to);
	/* text before, between and after exchanges; NULL: nothing. exporter_put() writes
	 * `between` */
	const char *begin, *between, *end;
};

/* Appends an exchange, after f->between if another one was written before, and counts what is lost.
 * If the format cannot hold the exchange: appends nothing, and counts the reason in left_out. */
void exporter_put(struct exporter *x, const struct export_format *f,
        const struct capture_exchange *e, struct buf *to);
/* Frees what x owns; the capture belongs to the caller. */
void exporter_finish(struct exporter *x);

/* The following functions are for formats. */

/* Finds the leg whose answer is written with the request. False: there is none. */
bool exporter_leg(const struct exporter *x, const struct capture_exchange *e, size_t *ret);
/* True if private text in the leg's answer was replaced. */
bool export_is_redacted(const struct leg_row *row);
/* Appends the body of the leg's answer, without a content coding. False: the body is not stored
 * completely and unchanged, or cannot be read; *to is as before. */
bool exporter_answer(struct exporter *x, const struct capture_exchange *e, size_t leg,
        struct buf *to) MUST_CHECK;
/* The engine's token counts for the answer that is written; it lives as long as e. NULL: the engine
 * did not state those of both prompt and answer. */
const struct usage *exporter_usage(const struct exporter *x, const struct capture_exchange *e);
/* The reading of an answer that is complete and unchanged and has a choice, which the caller
 * destroys; else NULL. */
struct reading *exporter_reading(
        struct exporter *x, const struct capture_exchange *e, size_t leg) MUST_CHECK;
/* Counts as lost: choices after the first; and, with_reasoning, the reasoning of the first. */
void exporter_lose(struct exporter *x, const struct reading *r, bool with_reasoning);
/* Appends the text of a chat's first choice, and counts the rest of the answer as lost. False:
 * there is no text, or the choice has calls or a refusal. */
bool exporter_answer_text(struct exporter *x, const struct capture_exchange *e, size_t leg,
        struct buf *to) MUST_CHECK;
/* Appends the request's body. Returns NULL, or a reason why there is none. */
const char *exporter_body(struct exporter *x, const struct capture_exchange *e, struct buf *to);
/* As exporter_body(), but only for a chat or completion that is one JSON object, because nothing
 * else can be replayed. */
const char *exporter_request(struct exporter *x, const struct capture_exchange *e, struct buf *to);
/* True if the object has the member, and it is not null. */
bool export_has(struct span object, const char *member) MUST_CHECK;
/* Appends a message's content: a text, or the joined texts of a list. False: the content is or
 * contains something else; a part may have been appended. */
bool exporter_content(struct span content, struct buf *to) MUST_CHECK;
/* Calls `each` for every message of a chat, in order; all contents must be texts. Returns NULL, or
 * a reason why this is no such chat; `each` may have been called before. */
typedef void (*export_message_fn)(void *arg, struct span role, struct span text);
const char *exporter_messages(struct span body, export_message_fn each, void *arg);
/* Appends the text of a request that is a chat with a single user message. Returns NULL, or the
 * reason why it is not. */
const char *exporter_question(struct exporter *x, const struct capture_exchange *e, struct buf *to);
/* Calls `each` for every field of a head, except Host and those of the connection or of the body's
 * length or coding. */
typedef void (*export_field_fn)(void *arg, struct span name, struct span value);
void exporter_fields(struct span head, export_field_fn each, void *arg);
/* Scheme, host and port of a URL, such as "http://host:8000"; points into url. Without a scheme or
 * for NULL: "http://unknown". */
struct span exporter_origin(const char *url);
/* The exchange's start in nanoseconds since the first exchange. */
uint64_t exporter_ns(const struct exporter *x, const struct capture_exchange *e);
