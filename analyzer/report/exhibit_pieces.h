#pragma once
/*
 * exhibit_pieces - two answers cut into pieces that can be held side by side: tokens with what their
 * engines thought of them where both have such columns, else words.
 */
#include <jansson.h>

#include "answers/reading.h"

/*
 * Sets pieces in both sides and alignment in *to. from: the first differing token; of long answers
 * it is the surroundings of it that are shown.
 */
void exhibit_pieces(json_t *to, json_t *base_side, json_t *test_side, const struct choice *base,
        const struct choice *test, bool tokens, uint32_t first);
