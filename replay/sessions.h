#pragma once
/*
 * sessions - the answers to the turns of a session in this run. They become the history of later
 * turns, so that the engine continues its own conversation, not the recorded one.
 *
 * Call sessions_create() when the plan is complete and `skipped` is true for each send that an
 * earlier process of this run made. Then, for each send in the order of its session:
 *
 *	send was made by an earlier process  sessions_answer() if sessions_wants() is true;
 *	                                     sessions_send_ended()
 *	send is made by this process         sessions_put() before it, if it follows a turn;
 *	                                     sessions_answer() if sessions_wants() is true;
 *	                                     sessions_send_ended()
 *
 * `send` is an index in plan.sends. An answer is kept until all sends that directly follow it in
 * the session have ended. No I/O; one thread.
 */
#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "answers/reading.h"
#include "replay/plan.h"

struct sessions;

struct sessions *sessions_create(const struct plan *p); /* the plan must outlive it */
void sessions_destroy(struct sessions *s);              /* NULL is fine */

/* True if the answer to this send is needed: a send that directly follows it has not ended. */
bool sessions_wants(const struct sessions *s, uint32_t send);
/*
 * Stores the answer to a send; call only if sessions_wants() is true. n_messages: the number of
 * messages in its request. Stores nothing if the send follows a turn whose answer was not stored,
 * because a later history would then have a gap.
 */
void sessions_answer(struct sessions *s, uint32_t send, uint32_t n_messages, struct span text);
/* Like sessions_answer(), with the text of the answer's first choice, without reasoning. Stores
 * nothing if that choice has tool calls, or if the answer has no choice. */
void sessions_answer_read(
        struct sessions *s, uint32_t send, uint32_t n_messages, const struct reading *reading);
/* Call once for each send that has ended, after its answer was stored, also for sends of earlier
 * processes. The answer to the turn before may then be freed. */
void sessions_send_ended(struct sessions *s, uint32_t send);
/*
 * Appends the body of a send that follows a turn, with this run's answers in place of those in
 * `body`. Returns NULL, or why that is impossible, for example because an answer was not stored;
 * *to is then unchanged.
 */
const char *sessions_put(
        const struct sessions *s, uint32_t send, struct span body, struct buf *to) MUST_CHECK;
