#pragma once
/*
 * cancel - selects the requests of a replay that are cancelled before their answer is complete, as
 * impatient clients do (--cancel). Pure.
 *
 *	5%              streams after 16 events with content, other answers after one second
 *	5%@tokens:40    streams only, after 40 events with content
 *	5%@after:250ms  all answers that are not complete 250 ms after sending
 *
 * 5% is the probability with which each send is selected.
 */
#include <stdbool.h>
#include <stdint.h>

#include "base/check.h"

struct cancel {
	double share; /* 0 to 1; the probability that a send is cancelled */
	/* cancel after this number of events with content; 0: not by events */
	uint64_t pieces;
	uint64_t after; /* ns from sending to cancelling; 0: not by time */
	/* `pieces` applies to streams, `after` to other answers; false: `after` applies to all */
	bool streams_by_pieces;
};

/* Reads one of the forms above. False: the text has none of them, or the share is 0. */
bool cancel_parse(const char *text, struct cancel *ret) MUST_CHECK;
/* True if this send is to be cancelled. send: its index in plan.sends. The choice depends on
 * c->share, seed and send only. */
bool cancel_selects(const struct cancel *c, uint64_t seed, uint32_t send);
