#pragma once
/*
 * unit - the most common units of measure with their exact factors.
 */
#include <stdbool.h>

#include "base/buf.h"

struct unit {
	const char *symbol; /* case-sensitive */
	const char *name;   /* not case-sensitive; a text may add an "s" for the plural */
	/* symbol of the base unit; units with the same base measure the same quantity */
	const char *base;
	/* factor to the base unit: num / den; num 0: plumbline does not convert this unit */
	uint32_t num, den;
};

/* NULL: the text is not exactly a known unit. */
const struct unit *unit_of(struct span text);
/* The unit of the currency sign with which the text begins: "$", "€" or "£". NULL: none of them. */
const struct unit *unit_of_currency(struct span text);
