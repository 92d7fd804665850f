#pragma once
/*
 * view - the progress of a replay: a line that is redrawn on a terminal, else plain lines now and
 * then, or events.
 */
#include <stdbool.h>
#include <stdint.h>

#include "replay/summary.h"

struct view {
	bool json;     /* JSON events on standard output */
	bool terminal; /* standard error is a terminal */
	uint64_t shown;
	/* Two recent moments, the older one first, and the numbers of answers then. */
	struct view_mark {
		uint64_t at, over;
	} marks[2];
	bool moved;               /* the progress line is on the screen */
	const struct figures *of; /* whose progress the marks describe, unless total is set */
	/* For a campaign: one progress line covers all its passes. total 0: there is no
	 * campaign. */
	/* requests of the campaign; requests of other series that have ended */
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
