#pragma once
/*
 * reasoning_marks - reasoning that an engine left in the answer's text, and which tokens are
 * reasoning and which are answer.
 *
 * A mark counts only where a model puts it: at the start of the text, or after other reasoning. In
 * a code block, between quotation marks or within a sentence it is ordinary text. The text itself
 * never changes.
 */
#include "answers/draft.h"

/*
 * Completes a choice whose texts, calls and columns are complete and whose usage is known: finds
 * the inline reasoning, the calls in its text, the place of its reasoning, and, if the tokens spell
 * the texts, the flags TOKEN_OF_REASONING and TOKEN_OF_ANSWER. stretches: as for
 * spelling_matches(). Adds to the draft's marks.
 */
void reasoning_marks_find(
        struct draft *d, struct choice *c, const struct stretch *stretches, size_t n, bool spelled);
