#pragma once
/*
 * view - the progress of a replay: a line that is redrawn on a terminal, else plain lines now and
 * then, or events.
 */
#include <stdbool.h>
#include <stdint.h>

#include "base/progress.h"
#include "replay/summary.h"

struct view {
	bool json; /* JSON events on standard output */
	struct progress progress;
	const struct figures *of; /* whose progress the rate describes, unless total is set */
	bool may_fail;            /* failures are wanted, so they are not shown */
	/* In a campaign, one progress line covers all passes. total: requests of the whole
	 * campaign; 0: there is no campaign. done: requests of other series that have ended. */
	uint64_t total, done;
	const char *target; /* the target of this pass; or NULL */
};
void view_init(struct view *v, bool json);
void view_begin(struct view *v, const struct summary *r);
/* One repeat of one of several series begins; what follows belongs to it. */
void view_pass(struct view *v, const struct summary *r, uint32_t repeat);
/* A step of an open loop has ended; the following figures are new ones. */
void view_step(struct view *v, const struct step *s);
/* For runner_settings.on_tick; arg is the view. */
void view_tick(void *arg, const struct figures *f, uint64_t left, bool last);
