#pragma once
/*
 * thoughts - reasoning that an engine left in the answer's text, and which of the answer's tokens
 * are reasoning and which are answer.
 *
 * A mark counts only where a model puts it: at the beginning of the text, or after another thought.
 * One in a code block, between quotation marks or in the midst of a sentence is text like any
 * other. The text itself is never changed.
 */
#include "answers/draft.h"

/*
 * What is to be known of a choice once its texts, calls and columns are whole and the usage is
 * known: its thoughts, the calls that stand in its text, where its reasoning is, and, if the tokens
 * spell the texts, the flags TOKEN_OF_REASONING and TOKEN_OF_ANSWER of its columns. stretches: as
 * spelling_matches() has them. Adds to the draft's marks.
 */
void thoughts_find(
        struct draft *d, struct choice *c, const struct stretch *stretches, size_t n, bool spelled);
