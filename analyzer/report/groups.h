#pragma once
/*
 * groups - selects the comparisons (a document's "groups") that reports show; reads their verdicts.
 *
 * The document is not trusted: what is missing or has another type is empty. Pure.
 */
#include <stddef.h>

#include <jansson.h>
#include <stdbool.h>

#include "base/buf.h"

#define GROUPS_SHOWN 32 /* the most groups that are shown; further ones are counted */

/*
 * The groups to show: the comparisons of two backends; if there are none, those of a backend with
 * itself. A comparison is left out if an earlier one has the same test, the same verdict, and the
 * same engine as its base: the second base only measures the noise floor. Two bases are one engine
 * if they are the two sides of a group that is_floor. Unscored repeats (see below) are left out,
 * too. A recipe's groups are in the order of its targets, others in that of the document.
 */
struct groups {
	const json_t *items[GROUPS_SHOWN];
	size_t n, beyond; /* beyond: number of groups after the first GROUPS_SHOWN */
};
void groups_read(const json_t *document, struct groups *ret);
bool groups_is_floor(const json_t *group); /* true if it compares a backend with itself */
/* True if the group is UNCLEAR and has no scores, but another group with the same test and the same
 * engine as its base has scores: an engine with two names needs to score only once. all: the
 * document's groups. */
bool groups_is_unscored_repeat(const json_t *all, const json_t *group);
/* True if a group of the list compares two backends. */
bool groups_have_trials(const json_t *groups);

/* "SAME", "DIFFERENT" or "UNCLEAR" (also if there is no verdict). of: a group or a document. */
const char *groups_verdict(const json_t *of);
const char *groups_sentence(const json_t *of); /* the verdict's sentence; "": none */
/* Appends the title of example i (0 to 2) of the group, and returns the example. NULL: there is no
 * such example, or an example before i is of the same exchange; ignore the title then. */
const json_t *groups_example(const json_t *group, size_t i, struct buf *title);
/* Appends "Only a selection was compared: since ..."; nothing if the document has no selection. */
void groups_selection(const json_t *document, struct buf *to);
