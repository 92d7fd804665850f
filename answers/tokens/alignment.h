#pragma once
/*
 * alignment - finds which tokens of a choice are its reasoning and which its answer, by text: the
 * tokens' bytes are matched along the texts, so that tokens which the engine removed (marks) or
 * added (end of sequence) shift nothing.
 */
#include "answers/draft.h"

/*
 * Sets TOKEN_OF_REASONING and TOKEN_OF_ANSWER by the token's first byte that is not white space and
 * belongs to either. stretches: as for spelling_matches(), which returned true. The choice's
 * reasoning and calls are known.
 */
void alignment_flag(struct choice *c, const struct stretch *stretches, size_t n);
