#pragma once
/*
 * exhibit_scores - what another engine says of an answer's tokens, as it scored them.
 */
#include <jansson.h>

#include "capture/capture.h"

/*
 * Sets "scored" of the answer's pieces where the capture has scores of that leg, preferably by the
 * backend named by: its name, and a logprob for each piece. Pieces that are words have none.
 */
void exhibit_scores(json_t *pieces, struct capture *c, const struct capture_exchange *e, size_t leg,
        const struct reading *answer, const char *by);
