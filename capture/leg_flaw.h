#pragma once
/*
 * leg_flaw - why a leg's answer is not whole: by how the transport ended, the status, and the
 * reading (answers/flaw.h).
 */
#include "capture/capture.h"
#include "answers/flaw.h"

/*
 * By the row alone if r is NULL. An answer without a reading (LEG_UNREAD, LEG_TRUNCATED) is judged
 * by its outcome and status; imported answers (LEG_IMPORTED) may lack a finish reason. FLAW_OUTCOME
 * includes answers that the client or the proxy cut.
 */
enum flaw leg_flaw(const struct leg_row *leg, const struct reading *r);
/* True if it was generated, not scored, has no flaw by its row, and was recorded completely. */
bool leg_is_whole_answer(const struct leg_row *leg);
/* In words: "HTTP 503", "timeout", "no finish reason". Not of FLAW_NONE. */
void leg_flaw_print(
        const struct leg_row *leg, const struct reading *r, enum flaw f, char to[FLAW_TEXT_SIZE]);
/* The reading of e's leg if its answer is whole and readable, for the caller to destroy; else
 * NULL. */
struct reading *leg_whole_reading(
        struct capture *c, const struct capture_exchange *e, size_t leg) MUST_CHECK;
