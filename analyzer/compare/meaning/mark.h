#pragma once
/*
 * mark - where a text marks its answer: \boxed{5}, "#### 5", "Answer: 5", "The answer is 5"; and
 * what else it says around the mark. Pure; time is linear in the text. All spans belong to the
 * text, or to the forms.
 */
#include "analyzer/compare/meaning/format.h"

#define MARK_VALUE_MAX 160 /* bytes of an answer that is read, outside of a box */

struct mark {
	struct span said;   /* behind the mark, to the end of its sentence or line */
	struct span before; /* in the mark's sentence, without the words of the mark itself */
	struct span after;  /* to the end of the text */
};
/* The last mark that is no box. False: there is none, or another one says something else. */
bool mark_find(struct span text, struct mark *ret);

/* The last box of the prose, its marks included, and the piece that it lies in. Empty: there is
 * none. *ret_others: another one has another content. */
struct span mark_find_box(const struct forms *f, struct span *ret_piece, bool *ret_others);
/* What stands before the box in its sentence; on a line of its own, the line before it if that
 * leads to it with a colon or a comma. In f->talk. */
struct span mark_before_box(struct forms *f, struct span piece, struct span box);
/* Without what closes the formula or the emphasis around the box, at the text's beginning. */
struct span mark_skip_closers(struct span s);
/* Appends a text without what opens or closes formulas and emphasis, and with runs of white space
 * as one blank. */
void mark_put_bare(struct span s, struct buf *to);

/* Where the sentence or line ends that begins at `at`, its full stop included. */
size_t mark_sentence_end(struct span s, size_t at);
/* Where the sentence or line begins that `at` lies in. */
size_t mark_sentence_begin(struct span s, size_t at);
/* A text without the words of a mark at its end: "The final answer is:". Somebody's answer is no
 * mark. */
struct span mark_without_words(struct span lead);
/* Without blanks, and empty if nothing but a full stop is left. */
struct span mark_without_stop(struct span s);
/* Removes this end, in any case of its letters. False: the text ends in another way. */
bool mark_take_end(struct span *s, const char *end);
