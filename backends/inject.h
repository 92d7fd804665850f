#pragma once
/*
 * inject - asking an engine for logprobs and usage that the client did not ask for, and cutting exactly what that
 * added out of what the client sees.
 *
 * Pure, but for the kinds (below), which are process-wide and locked.
 *
 * A request is edited as text: members are put before the closing brace, values replaced in place, so that every
 * other byte stays. An answer is cut as text: what is left equals, byte for byte, what the engine would have sent.
 * That depends on the engine's kind: with logprobs unasked some engines send "logprobs":null, others no member.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "capture/record.h"
#include "reading/request.h"

struct injection {
	bool logprobs;         /* logprobs and top_logprobs were added */
	bool usage;            /* stream_options.include_usage was added */
	int top;
};

/* Edits, in the order of the body; inserted texts are owned. */
struct edits {
	struct edit *items;
	size_t n, cap;
};
void edits_finish(struct edits *e);
void edits_apply(const struct edit *items, size_t n, struct span body, struct buf *to);

/* Names of the fields of an engine's dialect; more dialects come later, this is OpenAI's. */
enum dialect { DIALECT_OPENAI };

/*
 * What to add to this body: logprobs where the client did not ask (not for tools with streams: engines refuse),
 * include_usage for streams whose client did not ask for it. Writes the edits and what was added.
 * False: nothing can or need be added (not JSON, or the client asked for everything).
 */
bool inject_request(enum endpoint endpoint, const struct request_facts *facts, struct span body, int top,
	bool want_logprobs, bool want_usage, struct edits *ret_edits, struct injection *ret) MUST_CHECK;

/*
 * Edits of a copy for a reference: model replaced (model NULL: kept), members removed (unset) and set (JSON texts).
 * Combined with injection by giving the added members as set. The result is a single edit list over body.
 */
struct member_edit {
	const char *name;
	const char *json;      /* value as JSON text, or NULL: remove */
};
bool rewrite_request(struct span body, const struct member_edit *members, size_t n, struct edits *ret) MUST_CHECK;

/* What an engine's answer holds where logprobs were not asked for. */
enum kind {
	KIND_UNKNOWN,
	KIND_NULL,             /* "logprobs":null in each choice: cut by putting null in place of the value */
	KIND_ABSENT,           /* no member: cut by taking the member out with one comma */
};

/*
 * Learns the kind from an answer that was not injected (a whole unary body, or one event's data).
 * UNKNOWN: it does not tell (no choices).
 */
enum kind kind_of_answer(struct span json);

/*
 * Cuts one JSON text (a unary body or one event's data): appends what the client may see to *to.
 * Returns: CUT_KEPT nothing had to be cut (*to holds the text as it was); CUT_DONE; CUT_DROP the whole event is our own
 * usage event and must not be sent at all; CUT_FAILED the text is not JSON or not of that kind: pass it as it is.
 */
enum cut { CUT_KEPT, CUT_DONE, CUT_DROP, CUT_FAILED };
enum cut cut_json(struct span json, const struct injection *injected, enum kind kind, struct buf *to);

/*
 * Cuts a stream: fed the de-chunked body, it appends to *to what the client may see now; it holds back at most the
 * event under way. An event that is over the limit is passed uncut and sets *ret_uncut.
 */
struct cutter;
struct cutter *cutter_create(const struct injection *injected, enum kind kind, size_t event_limit);
void cutter_feed(struct cutter *c, const char *data, size_t len, struct buf *to, bool *ret_uncut);
void cutter_end(struct cutter *c, struct buf *to);      /* what is left of an unfinished event, as it is */
void cutter_destroy(struct cutter *c);                  /* NULL is fine */

/*
 * kinds - what has been seen of backends: per backend, model, endpoint, streamed or not. Also which refused injection:
 * remembered for an hour. Process-wide, any thread; bounded (the oldest entry goes).
 */
struct kinds;
struct kinds *kinds_create(void);
void kinds_destroy(struct kinds *k);

struct kind_key {
	const char *backend;
	const char *model;
	enum endpoint endpoint;
	bool stream, tools;
};
enum kind kinds_get(struct kinds *k, const struct kind_key *key, uint64_t now_ns, bool *ret_refused);
void kinds_learn(struct kinds *k, const struct kind_key *key, enum kind kind);
void kinds_refused(struct kinds *k, const struct kind_key *key, uint64_t now_ns);
