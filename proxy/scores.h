#pragma once
/*
 * scores - decides which references score the answer of an exchange's primary, and holds what they
 * need until the answer has ended.
 *
 * mirror_decide() decides about scores together with copies. The request's bytes are shared with
 * the exchange, the answer's bytes with the recorder. When the answer has ended, scores passes it
 * to the score pool (score_pool.h), or counts in the reference's book why it does not. Part of
 * exchange; loop thread only.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/chunk.h"
#include "capture/record.h"

struct copy;
struct exchange;

struct scores {
	uint32_t wanted; /* bit i: reference i of the snapshot is to score */
	bool beside;     /* the primary was scoring (primary.self) when it got the request */
	struct chunks request;
};

/* The most bytes of the answer to keep, asked when its leg begins; 0: no reference can want it. */
size_t scores_keep(const struct exchange *e);
/* Call just before the request is sent to the primary. Sets `beside`. */
void scores_begin(struct exchange *e);
/* Call when the exchange is sampled for this reference. False: the answer can't be scored,
 * because the request's body was not kept. */
bool scores_select(struct exchange *e, size_t reference);
/* Call after scores_select() for all references: takes the request's bytes if one of them
 * scores. */
void scores_decided(struct exchange *e);
/* Call when the primary's leg is about to end, once per exchange. Passes the answer to the score
 * pool. */
void scores_submit(struct exchange *e, enum outcome outcome);

/* The most bytes of a copy's answer to keep, if its reference scores its own answers (`self`);
 * else 0. */
size_t scores_keep_own(const struct copy *c);
/* Call when a copy's leg is about to end. Passes its answer to the score pool, since the
 * reference also scores its own answers. The reference's book counts this score separately from
 * the copy. */
void scores_submit_own(struct copy *c, enum outcome outcome);
