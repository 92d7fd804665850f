#pragma once
/*
 * schema - whether a JSON value conforms to a JSON Schema. Pure.
 *
 * The part of JSON Schema that tools use: type, properties, required, additionalProperties,
 * items, enum, const, bounds of numbers and lengths, anyOf, oneOf, allOf, $ref into the schema's
 * own document. The rest is ignored: patterns, formats, conditions.
 */
#include "base/buf.h"

enum schema_verdict {
	SCHEMA_UNKNOWN, /* no schema, or too much to read */
	SCHEMA_KEPT,
	SCHEMA_BROKEN,
};

enum schema_verdict schema_check(struct span schema, struct span value);
