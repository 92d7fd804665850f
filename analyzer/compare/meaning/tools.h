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

/* Adds the tools of a list: json is the value of a request's `tools` or `functions`, in the form
 * of any API. */
void tools_read(struct tools *t, struct span json);
void tools_finish(struct tools *t);

enum schema_verdict {
	/* the request offers no tools; or the tool has no schema, or one that is too large */
	SCHEMA_UNKNOWN,
	SCHEMA_CONFORMS,
	SCHEMA_BROKEN,
};
/* Checks a call by the most important parts of JSON Schema: required arguments, unknown
 * arguments (additionalProperties), and the type and enum of each argument; of the first 64
 * each. Does not check nested values. SCHEMA_BROKEN also if no tool has this name, or if the
 * arguments are no JSON object. */
enum schema_verdict tools_check(const struct tools *t, struct span name, struct span arguments);
/* True if the arguments a and b of this tool differ only in members that one of them lacks and
 * the other one sets to the default of the tool's schema. */
bool tools_by_default(const struct tools *t, struct span name, struct span a, struct span b);
