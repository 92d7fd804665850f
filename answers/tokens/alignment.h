#pragma once
/*
 * alignment - which tokens of a choice are its reasoning and which its answer, found by text: the
 * tokens' bytes are walked along the texts, so that tokens which the engine took out (marks) or
 * added (ends of sequence) shift nothing.
 */
#include "answers/draft.h"

/*
 * Sets TOKEN_OF_REASONING and TOKEN_OF_ANSWER, by the token's first byte that is no white space and
 * belongs to either. stretches: as spelling_matches() has them, which said that the tokens spell
 * the texts. The choice's thoughts and calls are known.
 */
void alignment_flag(struct choice *c, const struct stretch *stretches, size_t n);
