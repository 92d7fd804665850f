#pragma once
/*
 * unit - units of measure with their exact factors. A loose unit has several sizes (a gallon, a
 * megabyte, a month): it equals itself, but is not converted.
 */
#include <stdbool.h>

#include "analyzer/compare/meaning/fraction.h"
#include "base/buf.h"

enum dimension {
	DIMENSION_NONE,
	DIMENSION_RATIO,
	DIMENSION_LENGTH,
	DIMENSION_AREA,
	DIMENSION_VOLUME,
	DIMENSION_MASS,
	DIMENSION_TIME,
	DIMENSION_SPEED,
	DIMENSION_TEMPERATURE,
	DIMENSION_DATA,
	DIMENSION_ENERGY,
	DIMENSION_POWER,
	DIMENSION_PRESSURE,
	DIMENSION_FREQUENCY,
	DIMENSION_FORCE,
	DIMENSION_VOLTAGE,
	DIMENSION_CURRENT,
	DIMENSION_ANGLE,
	DIMENSION_DOLLAR, /* money does not convert */
	DIMENSION_EURO,
	DIMENSION_POUND,
	DIMENSION_YEN,
	DIMENSION_RUPEE,
};

struct unit {
	const char *name; /* of its symbol: equal units have the same pointer */
	enum dimension dimension;
	bool loose;
	uint64_t num, den; /* of the dimension's base unit */
};

/* The unit that text begins with, as a whole word; returns its bytes, 0: none. Symbols are
 * case-sensitive; names may be in any case and in the plural. */
size_t unit_read(struct span text, const struct unit **ret);
/* A currency's sign before its number: "$", "US$", "€". */
size_t unit_read_currency(struct span text, const struct unit **ret);
/* The value in the base unit. False: too large. */
bool unit_convert(const struct unit *u, struct fraction *value) MUST_CHECK;
