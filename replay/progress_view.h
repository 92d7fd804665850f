#pragma once
/*
 * progress_view - shows the progress of a replay: one line that is redrawn on a terminal; elsewhere
 * a plain line now and then; or JSON events.
 */
#include <stdbool.h>
#include <stdint.h>

#include "base/progress.h"
#include "replay/replay_summary.h"

struct progress_view {
	bool json; /* JSON events on standard output */
	struct progress progress;
	/* the figures that the rate is computed from, unless total is set */
	const struct load_figures *of;
	bool may_fail; /* failures are expected, so they are not shown */
	/* In a campaign, one progress line covers all passes. total: requests of the whole
	 * campaign; 0: there is no campaign. done: requests that ended outside of this pass's
	 * lane. */
	uint64_t total, done;
	const char *target; /* name of this pass's target; or NULL */
};
void progress_view_init(struct progress_view *v, bool json);
void progress_view_begin(struct progress_view *v, const struct replay_summary *r);
/* Call when a pass of a campaign begins. The following events belong to it. */
void progress_view_pass(struct progress_view *v, const struct replay_summary *r, uint32_t repeat);
/* Call when a step of an open loop has ended. The following figures are those of the next step. */
void progress_view_step(struct progress_view *v, const struct step *s);
/* For runner_settings.on_tick; arg is the view. */
void progress_view_tick(void *arg, const struct load_figures *f, uint64_t left, bool last);
