#pragma once
/*
 * quantity - a number with its unit, if it has one: 5 km, $1.5 million, 12 %, 3 apples.
 */
#include "analyzer/compare/meaning/number.h"
#include "analyzer/compare/meaning/unit.h"

struct quantity {
	struct number number;
	struct span written;     /* the number, as it stands there */
	const struct unit *unit; /* NULL: none that is known */
	struct span label;       /* what follows the number and is no unit: "red apples", a word */
	bool counted;            /* the label is the plural of something */
	bool rough;              /* "about", "over": not the number itself */
};

/*
 * The quantity that text begins with; returns its bytes, label included. 0: there is none, or what
 * follows makes it something else: a sum, a range, one of several.
 */
size_t quantity_read(struct span text, struct quantity *ret);
/* bare: nothing but the texts says that these are quantities and not versions, nor dates. */
enum agreement quantity_agreement(const struct quantity *a, const struct quantity *b, bool bare);
