#pragma once
/*
 * naming - repairs tokens under a wrong name: mlx-lm gives the first of an unsorted list of
 * alternatives instead of the chosen token.
 */
#include "answers/draft.h"

/*
 * For columns that do not spell the texts: finds for each token the one of its list that does, the
 * most probable first. True: they now spell the texts; repaired tokens have TOKEN_MISNAMED and the
 * id and logprob from their list. False: nothing was changed.
 */
bool naming_mend(struct choice *c, const struct stretch *stretches, size_t n);
