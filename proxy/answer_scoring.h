#pragma once
/*
 * answer_scoring - lets references score the primary's answer: checks whether that is possible,
 * keeps the request, and passes the answer on when it has ended.
 *
 * mirror_decide() selects the references: it calls answer_scoring_select() for each of them, then
 * answer_scoring_decided(). The request's bytes are shared with the exchange, the answer's bytes
 * with the recorder. When the answer has ended, answer_scoring_submit() passes it to the score pool
 * (score_pool.h), or counts in the reference's book why it does not. Part of exchange; loop thread
 * only.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/chunk.h"
#include "capture/record.h"

struct copy;
struct exchange;

struct answer_scoring {
	uint32_t wanted; /* bit i: reference i (index in the snapshot) is to score */
	/* the primary was also scoring its own answers (`primary: {self: true}`) when the request
	 * was sent to it */
	bool while_scoring;
	struct chunks request;
};

/* The most bytes of the primary's answer to keep; 0: no reference can want the answer. Call when
 * the primary's leg begins. */
size_t answer_scoring_keep(const struct exchange *e);
/* Call just before the request is sent to the primary. Sets while_scoring. */
void answer_scoring_begin(struct exchange *e);
/* Call when a reference (by index) is to score the exchange. False: that is impossible, because
 * there is no capture, the endpoint is neither chat nor completion, or `content: metadata` keeps
 * no scores; the reference's book has then counted the exchange as excluded. */
bool answer_scoring_select(struct exchange *e, size_t reference);
/* Call after answer_scoring_select() for all references. Keeps the request's bytes if one of them
 * scores; else drops the kept answer. */
void answer_scoring_decided(struct exchange *e);
/* Call when the primary's leg is about to end, once per exchange. Passes the answer to the score
 * pool for each reference in `wanted`, or counts why not. */
void answer_scoring_submit(struct exchange *e, enum outcome outcome);

/* The most bytes of a copy's answer to keep, if its reference also scores its own answers
 * (`self`); else 0. */
size_t answer_scoring_keep_own(const struct copy *c);
/* Call when a copy's leg is about to end. If the reference also scores its own answers and this
 * answer is complete, passes the answer to the score pool. The reference's book counts the score
 * separately from the copy. */
void answer_scoring_submit_own(struct copy *c, enum outcome outcome);
