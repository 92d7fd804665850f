#pragma once
/*
 * mark - finds where a text marks its answer, and the words around the mark. Pure; time is linear
 * in the text. All spans point into the text, or into the forms.
 *
 *	box         \boxed{5}; the value is the content of the braces
 *	in words    "#### 5" at the beginning of a line, "Answer: 5", "The answer is 5", or a
 *	            heading such as "Final Answer" with the value on the next line; the value is
 *	            what follows, to the end of the sentence or line
 */
#include "analyzer/compare/meaning/format.h"

/* bytes; a longer text does not count as a value. The caller checks the limit for boxes */
#define MARK_VALUE_MAX 160

struct mark {
	struct span value;
	/* the words before the mark in its sentence, without the mark itself */
	struct span before;
	/* from the end of `value` to the end of the text, trimmed by mark_trim() */
	struct span after;
};
/* Finds the last mark of the kind "in words". False: there is none, two marks have different
 * values, or the value is empty or too long. */
bool mark_find(struct span text, struct mark *ret);

/* The last box of the prose, from "\boxed{" to its closing brace, or "\boxed{" alone if it has
 * none. Empty: there is no box. *ret_piece: the piece that contains it. *ret_others is set to true
 * if two boxes differ; otherwise it stays as it is. */
struct span mark_find_box(const struct forms *f, struct span *ret_piece, bool *ret_others);
/* The words before the box in its sentence. If there are none: the words of the line before, if
 * that line ends in a colon, a comma or an equals sign. piece, box: from mark_find_box(). The
 * result points into f->talk, which is overwritten. */
struct span mark_before_box(struct forms *f, struct span piece, struct span box);
/* Skips white space and the delimiters of formulas and emphasis at the beginning of the text. */
struct span mark_skip_delimiters(struct span s);
/* Appends a text without the delimiters of formulas and emphasis. A run of white space becomes
 * one blank. */
void mark_put_bare(struct span s, struct buf *to);

/* The end of the sentence or line that contains `at`: the offset after the full stop, exclamation
 * or question mark; else the offset of the line feed, or s.len. */
size_t mark_sentence_end(struct span s, size_t at);
/* The text without white space around it; empty if only a full stop is left. */
struct span mark_trim(struct span s);
/* Removes the suffix `end`, ignoring case. False: the text does not end in it. */
bool mark_strip_end(struct span *s, const char *end);
