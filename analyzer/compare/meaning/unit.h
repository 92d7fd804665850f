#pragma once
/*
 * unit - the commonest units of measure with their exact factors.
 */
#include <stdbool.h>

#include "base/buf.h"

struct unit {
	const char *symbol,
	        *name;     /* a symbol has one case; a name may be in any case and in the plural */
	const char *base;  /* units of one base measure the same thing */
	uint32_t num, den; /* of the base; num 0: it is not converted */
};

/* NULL: the text is no known unit, and nothing else. */
const struct unit *unit_of(struct span text);
/* "$", "€", "£" before a number. */
const struct unit *unit_of_currency(struct span text);
