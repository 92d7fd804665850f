#pragma once
/*
 * alignment - finds which tokens of a choice are reasoning and which are answer. It matches the
 * tokens' bytes along the texts. So tokens that the engine removed from the text (marks) or added
 * (end of sequence) do not shift the result.
 */
#include "answers/draft.h"

/* Sets TOKEN_OF_REASONING and TOKEN_OF_ANSWER. The first byte of a token that is not white space
 * and belongs to either text decides. The choice's reasoning and calls must be known, and
 * spelling_matches() must have returned true for the same stretches. */
void alignment_flag(struct choice *c, const struct stretch *stretches, size_t n);
