#pragma once
/*
 * tools - the tools that a request offers, and whether calls conform to their schemas.
 */
#include "analyzer/compare/meaning/agreement.h"
#include "analyzer/compare/meaning/schema.h"
#include "base/buf.h"

struct tools {            /* zero-initialised is empty */
	struct buf text;  /* names and schemas */
	struct buf items; /* struct tool */
};

/* Adds what a request's `tools` or `functions` holds, in any dialect. */
void tools_read(struct tools *t, struct span json);
void tools_finish(struct tools *t);

/* Broken: also a name that no tool has, or arguments that are no JSON. Unknown: no tool was
 * offered, or this one has no schema. */
enum schema_verdict tools_check(const struct tools *t, struct span name, struct span arguments);
/* Two objects differ only in members whose value is the tool's default. */
bool tools_by_default(const struct tools *t, struct span name, struct span a, struct span b);
