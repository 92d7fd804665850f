#pragma once
/*
 * schema - whether a JSON value keeps to a JSON Schema. Pure.
 *
 * Of JSON Schema what tools use: type, properties, required, additionalProperties, items, enum,
 * const, bounds of numbers and lengths, anyOf, oneOf, allOf, $ref into the schema's own document.
 * What else a schema says is not held against the value: a pattern, a format, a condition.
 */
#include "base/buf.h"

enum schema_verdict {
	SCHEMA_UNKNOWN, /* no schema, or too much to read */
	SCHEMA_KEPT,
	SCHEMA_BROKEN,
};

enum schema_verdict schema_check(struct span schema, struct span value);
