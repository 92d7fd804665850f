#pragma once
/*
 * unit - the most common units of measure with their exact factors.
 */
#include <stdbool.h>

#include "base/buf.h"

struct unit {
	const char *symbol; /* case-sensitive */
	const char *name;   /* not case-sensitive; texts may use its plural */
	const char *base;   /* units with the same base measure the same quantity */
	uint32_t num, den;  /* factor to the base unit; num 0: not converted */
};

/* NULL: the text is not exactly a known unit. */
const struct unit *unit_of(struct span text);
/* The unit of a sign that stands before a number: "$", "€" or "£". NULL: the text is none of
 * them. */
const struct unit *unit_of_currency(struct span text);
