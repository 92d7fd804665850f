#pragma once
/*
 * mark - finds where a text marks its answer (\boxed{5}, "#### 5", "Answer: 5", "The answer is 5"),
 * and the words around the mark. Pure; time is linear in the text. All spans point into the text,
 * or into the forms.
 */
#include "analyzer/compare/meaning/format.h"

#define MARK_VALUE_MAX 160 /* the longest answer outside of a box, bytes */

struct mark {
	struct span said; /* the text after the mark, to the end of its sentence or line */
	/* the words before the mark in its sentence, without the mark itself */
	struct span before;
	struct span after; /* from the end of `said` to the end of the text */
};
/* Finds the last mark that is not a box. False: there is none, or another mark states something
 * else. */
bool mark_find(struct span text, struct mark *ret);

/* The last box of the prose with its delimiters, and the piece that contains it. Empty: there is
 * none. *ret_others: another box has other content. */
struct span mark_find_box(const struct forms *f, struct span *ret_piece, bool *ret_others);
/* The words before the box in its sentence; if the box is on its own line, the line before it,
 * provided that it ends with a colon or a comma. Stored in f->talk. */
struct span mark_before_box(struct forms *f, struct span piece, struct span box);
/* Skips closing delimiters of formulas and emphasis at the beginning of the text. */
struct span mark_skip_closers(struct span s);
/* Appends a text without delimiters of formulas and emphasis, and with runs of white space as one
 * blank. */
void mark_put_bare(struct span s, struct buf *to);

/* The end of the sentence or line that begins at `at`, including its full stop. */
size_t mark_sentence_end(struct span s, size_t at);
/* The text without surrounding blanks; empty if only a full stop is left. */
struct span mark_without_stop(struct span s);
/* Removes the suffix `end`, ignoring case. False: the text has another end. */
bool mark_strip_end(struct span *s, const char *end);
