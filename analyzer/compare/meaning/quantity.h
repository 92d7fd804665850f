#pragma once
/*
 * quantity - a number with its unit, if it has one: 5 km, $1.5 million, 12 %. Pure.
 */
#include "analyzer/compare/meaning/number.h"
#include "analyzer/compare/meaning/unit.h"

struct quantity {
	struct number number;
	struct span written;     /* the number, as it stands in the text */
	const struct unit *unit; /* NULL: none */
};

/* False: the text is not a quantity and nothing else. */
bool quantity_read(struct span text, struct quantity *ret);
/* bare: the question asked for no number, so that the texts may be versions or dates. */
enum agreement quantity_agreement(const struct quantity *a, const struct quantity *b, bool bare);
