#pragma once
/*
 * groups - the pairs of backends of a document, as every short form shows them.
 *
 * A document may be anybody's: what is absent or of another type is empty.
 */
#include <stddef.h>

#include <jansson.h>

#include "base/buf.h"

#define GROUPS_SHOWN 32 /* the rest is counted */

/* Comparisons of two backends; of a backend with itself only where there are no others. */
struct groups {
	const json_t *items[GROUPS_SHOWN];
	size_t n, beyond;
};
void groups_read(const json_t *document, struct groups *ret);

/* "SAME", "DIFFERENT" or "UNCLEAR": of a group, or of a document. */
const char *groups_verdict(const json_t *of);
const char *groups_sentence(const json_t *of);
/* The i-th example, 0 to 2, or NULL; *ret_title says what it shows. An exchange is shown once. */
const json_t *groups_example(const json_t *group, size_t i, const char **ret_title);
/* "Only what was chosen was compared: since ..."; nothing when everything was. */
void groups_selection(const json_t *document, struct buf *to);
