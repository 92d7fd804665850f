#pragma once
/*
 * spelling - do the tokens of the logprobs spell the texts of a choice?
 */
#include "reading/draft.h"

/*
 * stretches: where the texts' bytes came, in order of generation. What may differ: marker tokens
 * (such as </think>) before, between and after reasoning and answer, which engines take out of
 * both; white space trimmed from the front; tokens after the end of the text that stop words, tool
 * calls and ends of sequence leave; broken bytes that became U+FFFD in the text, or in tokens that
 * came without their bytes; a last character that is cut.
 */
bool spelling_matches(const struct choice *c, const struct stretch *stretches, size_t n);
/* For a choice of which only the texts are left: reasoning, answer, refusal, in this order. */
bool spelling_matches_whole(const struct choice *c);
