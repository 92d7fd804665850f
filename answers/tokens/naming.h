#pragma once
/*
 * naming - repairs wrong tokens: mlx-lm states the first of an unsorted list of alternatives
 * instead of the chosen token.
 */
#include "answers/draft.h"

/*
 * Call it only if spelling_matches() is false for the choice; it does not check this. Replaces each
 * token by the alternative of its list that continues the text, the most probable one first. True:
 * the columns now spell the texts, and replaced tokens have TOKEN_MISNAMED, and the id and logprob
 * of the alternative. False: nothing was changed. stretches: as for spelling_matches().
 */
bool naming_repair(struct choice *c, const struct stretch *stretches, size_t n);
