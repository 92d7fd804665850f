#pragma once
/*
 * view - how a replay is doing while it runs: a line that moves on a terminal, a line now and then elsewhere, or events.
 */
#include <stdbool.h>
#include <stdint.h>

#include "replay/summary.h"

struct view {
	bool json;     /* events on standard output */
	bool terminal; /* standard error is one */
	uint64_t shown;
	uint64_t marked, over; /* a moment of late, and the answers by then */
	double rate;           /* since the mark before */
	bool has_rate;
	bool moved;               /* the line stands there */
	const struct figures *of; /* what the marks are of */
};
void view_init(struct view *v, bool json);
void view_begin(struct view *v, const struct summary *r);
/* One repeat of one of several lanes begins; what follows is of it. */
void view_pass(struct view *v, const struct summary *r, uint32_t repeat);
/* A step of an open loop is over; other figures follow. */
void view_step(struct view *v, const struct step *s);
/* As runner_settings.on_tick; arg is the view. */
void view_tick(void *arg, const struct figures *f, uint64_t left, bool last);
