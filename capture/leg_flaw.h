#pragma once
/*
 * leg_flaw - says why a leg's answer is not whole (answers/flaw.h), from the outcome of the
 * transport, the HTTP status, and the reading.
 */
#include "capture/capture.h"
#include "answers/flaw.h"

/*
 * r: the leg's reading, or NULL to judge by the row alone. An answer without a reading (LEG_UNREAD,
 * LEG_TRUNCATED) is judged by its outcome and status. An imported answer (LEG_IMPORTED) may lack a
 * finish reason. FLAW_OUTCOME includes answers that the client or the proxy cut off.
 */
enum flaw leg_flaw(const struct leg_row *leg, const struct reading *r);
/* True if the leg is a generated answer (not scores), has no flaw by its row, and was recorded
 * completely. Its reading may still show a flaw. */
bool leg_is_whole_answer(const struct leg_row *leg);
/* Writes the flaw in words, such as "HTTP 503", "timeout", "no finish reason". f must not be
 * FLAW_NONE. */
void leg_flaw_print(
        const struct leg_row *leg, const struct reading *r, enum flaw f, char to[FLAW_TEXT_SIZE]);
/* The reading of e's leg, which the caller destroys; NULL: its answer is not whole, has no choices,
 * or cannot be read. */
struct reading *leg_whole_reading(
        struct capture *c, const struct capture_exchange *e, size_t leg) MUST_CHECK;
