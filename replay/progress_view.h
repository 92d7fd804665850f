#pragma once
/*
 * progress_view - shows the progress of a replay: one line that is redrawn on a terminal; elsewhere
 * a line now and then; or JSON events.
 */
#include <stdbool.h>
#include <stdint.h>

#include "base/progress.h"
#include "replay/replay_summary.h"

struct progress_view {
	bool json; /* write JSON events to standard output; else text to standard error */
	struct progress progress;
	/* the figures whose rate is shown; set by progress_view_tick() */
	const struct load_figures *figures;
	bool may_fail; /* failures are expected: do not show them */
	/* In a campaign, one progress line covers all passes. total: number of requests of the
	 * whole campaign; 0: there is no campaign. done: number of requests that ended in other
	 * lanes, or that the command sent before the campaign. */
	uint64_t total, done;
	const char *target; /* name of the present target; NULL: do not show it */
};
void progress_view_init(struct progress_view *v, bool json);
/* Prints what will be sent, and where to. */
void progress_view_begin(struct progress_view *v, const struct replay_summary *r);
/* Call when a pass of a campaign begins, if `json` is set. Writes an event; the following events
 * belong to this pass. */
void progress_view_pass(struct progress_view *v, const struct replay_summary *r, uint32_t repeat);
/* Call when a step of an open loop has ended. Shows its result. */
void progress_view_step(struct progress_view *v, const struct step *s);
/* For runner_settings.on_tick; arg is the view. Redraws the line, or writes a line or an event,
 * if that is due (base/progress.h). last: removes the line. */
void progress_view_tick(void *arg, const struct load_figures *f, uint64_t left, bool last);
