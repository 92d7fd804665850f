#pragma once
/*
 * score_show - shows scores and judgements in lists and views of a capture.
 */
#include "capture/capture.h"

/* The name of the backend whose answer was scored; "?": the exchange has no such leg. */
const char *score_show_of(const struct capture_exchange *e, const struct leg_row *scored);
/* The name of the backend whose answer a judge compared as the second of two; "?": the exchange
 * has no such leg. */
const char *score_show_against(const struct capture_exchange *e, const struct leg_row *judging);
/* Appends one line: the number of scored tokens, and their perplexity. */
void score_show_put(struct buf *to, const struct leg_row *scored, const struct reading *reading);
