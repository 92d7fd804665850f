#pragma once
/*
 * tools - the tools that a request offers, and whether calls conform to their schemas.
 */
#include "analyzer/compare/meaning/agreement.h"
#include "base/buf.h"

struct tools {            /* zero-initialised is empty */
	struct buf text;  /* names and schemas */
	struct buf items; /* struct tool */
};

/* Adds what a request's `tools` or `functions` holds, in any dialect. */
void tools_read(struct tools *t, struct span json);
void tools_finish(struct tools *t);

enum schema_verdict {
	SCHEMA_UNKNOWN, /* no tool was offered, this one has no schema, or it is too much to read */
	SCHEMA_KEPT,
	SCHEMA_BROKEN,
};
/* Of JSON Schema the part that says most of a call: which arguments are required and which are
 * known (additionalProperties), and of each its type and enum. What is within an argument is not
 * looked at. Broken: also a name that no tool has, or arguments that are no
 * JSON object. */
enum schema_verdict tools_check(const struct tools *t, struct span name, struct span arguments);
/* Two objects differ only in members whose value is the tool's default. */
bool tools_by_default(const struct tools *t, struct span name, struct span a, struct span b);
