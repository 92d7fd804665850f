#pragma once
/*
 * sessions - what the turns of sessions were answered in this run, put into the turns that follow: so that an
 * engine goes on with its own words and not with those that were recorded.
 *
 * sessions_create() when it is known what was sent before (plan_skip). An answer is kept until the last send that
 * comes directly after it is over. Pure; one thread.
 */
#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "answers/reading.h"
#include "replay/plan.h"

struct sessions;

struct sessions *sessions_create(const struct plan *p); /* which must outlive it */
void sessions_destroy(struct sessions *s);              /* NULL is fine */

/* Whether a send that is still to be made has this one before it in its session. */
bool sessions_wants(const struct sessions *s, uint32_t send);
/*
 * What a send was answered; n_messages: of its request. Its turn before, if there is one, has been told. A
 * send that is not told of was answered with nothing that a history can hold.
 */
void sessions_answer(struct sessions *s, uint32_t send, uint32_t n_messages, struct span text);
/* The same out of an answer as read: its first choice without its thoughts; nothing if it has tool calls. */
void sessions_answer_read(
        struct sessions *s, uint32_t send, uint32_t n_messages, const struct reading *reading);
/* Of each send once, also of those that were made before: after it was told of. */
void sessions_over(struct sessions *s, uint32_t send);
/*
 * The body of a send with a turn before: the answers of the turns before it stand where the body has others.
 * NULL, or why it can't be made (to is untouched): one sentence without a full stop.
 */
const char *sessions_put(
        const struct sessions *s, uint32_t send, struct span body, struct buf *to) MUST_CHECK;
