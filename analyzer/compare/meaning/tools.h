#pragma once
/*
 * tools - the tools that a request offers, and whether tool calls conform to their schemas.
 */
#include "analyzer/compare/meaning/agreement.h"
#include "base/buf.h"

struct tools {            /* zero-initialised: empty */
	struct buf text;  /* names and schemas */
	struct buf items; /* struct tool */
};

/* Adds the tools in a request's `tools` or `functions`, in any dialect. */
void tools_read(struct tools *t, struct span json);
void tools_finish(struct tools *t);

enum schema_verdict {
	SCHEMA_UNKNOWN, /* no tools, no schema for this tool, or a schema that is too large */
	SCHEMA_CONFORMS,
	SCHEMA_BROKEN,
};
/* Checks a call by the most important parts of JSON Schema: required arguments, unknown
 * arguments (additionalProperties), and the type and enum of each argument. Does not check
 * nested values. SCHEMA_BROKEN also if no tool has this name, or if the arguments are no JSON
 * object. */
enum schema_verdict tools_check(const struct tools *t, struct span name, struct span arguments);
/* True if the arguments a and b differ only in members whose value is the tool's default. */
bool tools_by_default(const struct tools *t, struct span name, struct span a, struct span b);
