#pragma once
/*
 * tools - the tools that a request offers, and whether tool calls conform to their schemas. Pure.
 */
#include "analyzer/compare/meaning/agreement.h"
#include "base/buf.h"

struct tools {            /* zero-initialised: empty */
	struct buf text;  /* names and schemas */
	struct buf items; /* struct tool */
};

/* Adds the tools of a list: json is the value of a request's `tools` or `functions`, in the form of
 * any API. Of a malformed list it adds what can be read; at most 1,024 tools in all. */
void tools_read(struct tools *t, struct span json);
void tools_finish(struct tools *t);

enum schema_verdict {
	/* the request offers no tools; or the call names one of them, with JSON arguments, but the
	 * tool has no schema, or schema and arguments together exceed 64 KiB */
	SCHEMA_UNKNOWN,
	SCHEMA_CONFORMS,
	SCHEMA_BROKEN,
};
/* Checks a call by the most important parts of JSON Schema: required arguments, unknown arguments
 * (additionalProperties), and the type and enum of each argument. It checks the first 64 arguments,
 * the first 64 names in `required` and the first 64 values of an `enum`; what comes after them
 * counts as conforming, and so do nested values. SCHEMA_BROKEN also if no tool has this name, or if
 * the arguments are no JSON object. */
enum schema_verdict tools_check(const struct tools *t, struct span name, struct span arguments);
/* True if the arguments a and b of this tool are equal, where a missing member counts as the
 * default of the tool's schema. False also if the tool is unknown or has no schema, if a or b is no
 * JSON object, or if both together exceed 64 KiB. */
bool tools_by_default(const struct tools *t, struct span name, struct span a, struct span b);
