#pragma once
/*
 * sessions - the answers to the turns of a session in this run. They become the history of later
 * turns, so that the engine continues its own conversation, not the recorded one.
 *
 * Call sessions_create() when the plan is complete and `skipped` is set in all sends that were made
 * before (plan.h). For each send that was made before: sessions_answer() if sessions_wants() is
 * true, then sessions_over(). For each other send: sessions_put() before it if it follows a turn,
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

/* True if a send that is still to be made directly follows this send in its session. */
bool sessions_wants(const struct sessions *s, uint32_t send);
/*
 * Stores the answer to a send whose request has n_messages messages. The answer to the turn before
 * must be stored already. A later turn whose history needs an answer that was not stored cannot be
 * made.
 */
void sessions_answer(struct sessions *s, uint32_t send, uint32_t n_messages, struct span text);
/* Stores the first choice of an answer, without its reasoning. Stores nothing if it has tool
 * calls. */
void sessions_answer_read(
        struct sessions *s, uint32_t send, uint32_t n_messages, const struct reading *reading);
/* Call once for each send that has ended, after its answer was stored. Call it also for sends of
 * earlier processes. */
void sessions_over(struct sessions *s, uint32_t send);
/*
 * Makes the body of a send that follows a turn: this run's answers replace those in the body.
 * Returns NULL, or why it cannot be made: one sentence without a full stop; *to is then unchanged.
 */
const char *sessions_put(
        const struct sessions *s, uint32_t send, struct span body, struct buf *to) MUST_CHECK;
