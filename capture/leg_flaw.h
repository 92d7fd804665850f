#pragma once
/*
 * leg_flaw - why a leg's answer is not whole: how the transport ended, the status, and what the
 * reading says (answers/flaw.h).
 */
#include "capture/capture.h"
#include "answers/flaw.h"

/*
 * By the row alone where r is NULL. An answer that was not read (LEG_UNREAD, LEG_TRUNCATED) is
 * judged by its end and its status, and a file of results (LEG_IMPORTED) may leave out why its
 * answers ended. FLAW_OUTCOME also stands for answers that the client, or we, cut short.
 */
enum flaw leg_flaw(const struct leg_row *leg, const struct reading *r);
/* Generated, not scored; without a flaw by the row alone; recorded to its end. */
bool leg_is_whole_answer(const struct leg_row *leg);
/* In words: "HTTP 503", "timeout", "no finish reason". Not of FLAW_NONE. */
void leg_flaw_print(
        const struct leg_row *leg, const struct reading *r, enum flaw f, char to[FLAW_TEXT_SIZE]);
/* The reading of e's leg, if its answer is whole and can be read; the caller's. Or NULL. */
struct reading *leg_whole_reading(
        struct capture *c, const struct capture_exchange *e, size_t leg) MUST_CHECK;
