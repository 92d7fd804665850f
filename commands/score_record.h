#pragma once
/*
 * score_record - a scored answer, on its way into the capture as a leg.
 */
#include "commands/score_work.h"

/*
 * Hands the leg to the recorder: its request as one edit of the exchange's body, the engine's answer,
 * the row. Waits while the recorder has much to write. Takes nothing of r. Any thread. False: the
 * answer could not be stored whole; the leg says so and counts for nothing.
 */
bool score_record(const struct score_job_settings *s, struct id exchange, struct id of,
        uint64_t body_bytes, const struct scorer_result *r) MUST_CHECK;
