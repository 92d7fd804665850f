#pragma once
/*
 * change_words - a comparison of two analyses as its forms say it. Private to report/change_*.c.
 */
#include <stdbool.h>

#include <jansson.h>

#include "base/buf.h"

/* The sentence that matters. */
void change_words_sentence(const json_t *change, struct buf *to);
/* "answers that differ" */
const char *change_words_label(const json_t *figure);
bool change_words_is_excess(const json_t *figure); /* it is of what is left over the floor */
/* side: "before" or "after". */
void change_words_value(const json_t *figure, const char *side, struct buf *to);
/* "+5.2 points [+3.0 to +7.4]" */
void change_words_change(const json_t *figure, struct buf *to);
/* The same for a line of a terminal: a range has no interval, "-66.7 to +12.0 points". */
/* "worse", "not shown", "too few" */
const char *change_words_verdict(const json_t *figure);
/* One that a verdict rests on; the others are in the document only. */
bool change_words_is_tested(const json_t *figure);

/* Calls show for each figure that is tested, of all groups. */
typedef void (*change_words_fn)(void *arg, const json_t *group, const json_t *figure);
void change_words_each(const json_t *change, change_words_fn show, void *arg);
/* The list of a group's tested figures: of its greedy answers, or of its scores. */
const json_t *change_words_figures(const json_t *group);
