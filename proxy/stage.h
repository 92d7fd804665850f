#pragma once
/*
 * stage - one worker's side of a lineup: its connections to the primary and its mirrors.
 *
 * Counted by the worker, while it is the one on which exchanges begin, and by each exchange that began
 * on it. One that nobody needs any more is taken down by stage_sweep(), not at once: whoever leaves it
 * may still be within a callback of its connections. Loop thread only.
 */
#include "base/list.h"
#include "proxy/line.h"
#include "proxy/lineup.h"

struct mirror;
struct worker;

struct stage {
	unsigned refs;
	struct list link; /* in worker->stages */
	struct lineup *lineup;
	struct line *primary;
	struct mirror *mirrors[SETTINGS_REFERENCES_LIMIT]; /* by number, as in the lineup */
};

/* Connections and mirrors of the one before (or NULL) that serve this lineup as well are shared. */
struct stage *stage_create(struct worker *w, struct lineup *lineup, const struct stage *before);
struct stage *stage_ref(struct stage *s);
void stage_unref(struct stage *s);
void stage_sweep(struct worker *w);
