#pragma once
/*
 * reasoning_marks - finds reasoning that an engine left in the answer's text, and which tokens are
 * reasoning and which are answer.
 *
 * A mark, such as <think>, counts only where a model writes it: at the start of the text, or after
 * other reasoning. In a code block, between quotation marks or within a sentence it is ordinary
 * text. The text itself never changes.
 */
#include "answers/draft.h"

/*
 * Completes a choice whose texts, calls, columns and usage are known. Finds the inline reasoning,
 * the calls in its text and the place of its reasoning. If the tokens spell the texts (spelled), it
 * also sets the flags TOKEN_OF_REASONING and TOKEN_OF_ANSWER. stretches: as for spelling_matches().
 * Adds to the draft's marks.
 */
void reasoning_marks_find(
        struct draft *d, struct choice *c, const struct stretch *stretches, size_t n, bool spelled);
