#pragma once
/*
 * probe_reply - the answer to one question of the probe, as evidence and as a reading. Only the
 * probe's files include it. Pure.
 */
#include <stdint.h>

#include "answers/reading.h"
#include "answers/request.h"
#include "backends/transport/call.h"
#include "base/arena.h"

struct reply {
	/* Set by the caller: */
	struct arena *texts; /* has the texts `request`, `result` and all evidence; the caller's */
	const char *request; /* method, path and body without the model, for evidence */
	struct call_answer answer;
	/* Set by reply_read(): */
	struct reading *reading; /* never NULL */
	const char *result;      /* "200", "400: the message", "no answer within 60 s" */
};

/* Reads t->answer. body: the request's; if it contains "logprobs", the answer should have them. The
 * functions below need this call first. */
void reply_read(struct reply *t, enum endpoint endpoint, const char *body);
/* Frees answer and reading. What the functions below returned is then invalid, except evidence: it
 * lives as long as the arena. */
void reply_finish(struct reply *t);
/* The answer as evidence: "REQUEST -> RESULT"; with: and ", MORE" after it. */
const char *reply_evidence(const struct reply *t);
const char *reply_evidence_with(const struct reply *t, const char *more, ...) PRINTF(2, 3);
const struct choice *reply_choice(const struct reply *t); /* the first one, or NULL */
/* of the first choice, with at least one token; or NULL */
const struct columns *reply_columns(const struct reply *t);
struct span reply_text(const struct reply *t); /* of the first choice; empty: there is none */
/* the length of the longest list of alternatives */
uint32_t reply_most_alternatives(const struct reply *t);
/* True if there is no answer, which is not a refusal: it did not arrive in time, the call was
 * stopped, or there was no connection. */
bool reply_is_missing(const struct reply *t);
/* True if the answer is a complete 200 with a choice and without an error. */
bool reply_is_good(const struct reply *t);
