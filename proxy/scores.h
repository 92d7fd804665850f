#pragma once
/*
 * scores - decides which references score the answer of an exchange's primary, and holds what they
 * need until the answer has ended.
 *
 * This is decided together with the copies (mirror.h). The request's bytes are shared with the
 * exchange, the answer's with the recorder. When the answer has ended, it is passed to the score
 * pool (score_pool.h), or the reference's book counts why not. A part of exchange; loop thread
 * only.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/chunk.h"
#include "capture/record.h"

struct copy;
struct exchange;

struct scores {
	uint32_t wanted; /* bit i: reference number i is to score */
	bool beside;     /* the primary was scoring (primary.self) when it got the request */
	struct chunks request;
};

/* How many bytes of the answer to keep, asked when its leg begins; 0: no reference can want it. */
size_t scores_keep(const struct exchange *e);
/* The request is about to be sent to the primary. */
void scores_note_start(struct exchange *e);
/* The exchange is sampled for this reference, and its body is kept. False: it can't be scored. */
bool scores_select(struct exchange *e, size_t reference);
/* Call when scores_select() has been called for all references. */
void scores_decided(struct exchange *e);
/* The primary's leg is about to end. Once an exchange. */
void scores_submit(struct exchange *e, enum outcome outcome);

/* Bytes of a copy's answer to keep, where its reference scores its own answers (self); else 0. */
size_t scores_keep_own(const struct copy *c);
/* The copy's leg is about to end: submits its answer, which the reference is to score too. This
 * score is a separate unit in the reference's book, besides the copy. */
void scores_submit_own(struct copy *c, enum outcome outcome);
