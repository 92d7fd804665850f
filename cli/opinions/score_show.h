#pragma once
/*
 * score_show - shows scored legs in lists and views of a capture.
 */
#include "capture/capture.h"

/* The name of the backend whose answer was scored: "?" if that answer is missing. */
const char *score_show_of(const struct capture_exchange *e, const struct leg_row *scored);
/* The name of the backend that gave a judging leg's second answer, likewise. */
const char *score_show_against(const struct capture_exchange *e, const struct leg_row *judging);
/* One line: the number of scored tokens, and their perplexity. */
void score_show_put(struct buf *to, const struct leg_row *scored, const struct reading *reading);
