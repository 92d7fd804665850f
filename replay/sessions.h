#pragma once
/*
 * sessions - the answers that the turns of a session got in this run. They become the history of
 * later turns, so that the engine continues its own conversation, not the recorded one.
 *
 * Call sessions_create() when the plan is complete and `skipped` is set in all sends that were made
 * before (plan.h). Then, for each of these, sessions_answer() if sessions_wants() it, and
 * sessions_over(). For each further send: sessions_put() before it if it follows a turn,
 * sessions_answer() after it, then sessions_over(). An answer is kept until all sends that directly
 * follow it in the session have ended. Pure; one thread.
 */
#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "answers/reading.h"
#include "replay/plan.h"

struct sessions;

struct sessions *sessions_create(const struct plan *p); /* the plan must outlive it */
void sessions_destroy(struct sessions *s);              /* NULL is fine */

/* True if a send that is still to be made follows this one directly in its session. */
bool sessions_wants(const struct sessions *s, uint32_t send);
/*
 * Stores the answer to a send whose request has n_messages messages. The answer of the turn before
 * must have been stored already. If no answer is stored for a send, no history can contain one.
 */
void sessions_answer(struct sessions *s, uint32_t send, uint32_t n_messages, struct span text);
/* Stores the first choice of an answer, without its reasoning; nothing if it has tool calls. */
void sessions_answer_read(
        struct sessions *s, uint32_t send, uint32_t n_messages, const struct reading *reading);
/* Call once for each send that has ended, also for those of earlier processes, after its answer was
 * stored. */
void sessions_over(struct sessions *s, uint32_t send);
/*
 * Makes the body of a send that has a turn before it: this run's answers replace those in the body.
 * Returns NULL, or why it cannot be made (*to is unchanged): one sentence without a full stop.
 */
const char *sessions_put(
        const struct sessions *s, uint32_t send, struct span body, struct buf *to) MUST_CHECK;
