#pragma once
/*
 * naming - tokens under another's name: mlx-lm gives the first of an unsorted list of alternatives
 * in place of the token that it chose.
 */
#include "answers/draft.h"

/*
 * Finds for each token of columns that do not spell the texts the one of its list that does, the
 * more probable first. True: they spell the texts now; what was named wrongly has TOKEN_MISNAMED
 * and the id and logprob that its list gives it. False: nothing was changed.
 */
bool naming_mend(struct choice *c, const struct stretch *stretches, size_t n);
