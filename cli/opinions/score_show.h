#pragma once
/*
 * score_show - scored legs in lists and views of a capture.
 */
#include "capture/capture.h"

/* The name of the backend whose answer a scored leg scored: "?" if that answer is not there. */
const char *score_show_of(const struct capture_exchange *e, const struct leg_row *scored);
/* Of a judging leg: whose answer was shown second. */
const char *score_show_against(const struct capture_exchange *e, const struct leg_row *judging);
/* In one line: of how many tokens the scores are, and the perplexity that they come to. */
void score_show_put(struct buf *to, const struct leg_row *scored, const struct reading *reading);
