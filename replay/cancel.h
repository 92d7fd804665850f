#pragma once
/*
 * cancel - which requests of a replay are cancelled before their answer is complete, as impatient
 * clients do. Pure.
 *
 *	5%              streams after 16 events with content, other answers after one second
 *	5%@tokens:40    streams only, after 40 events with content
 *	5%@after:250ms  after 250 ms, if the answer is not complete by then
 */
#include <stdbool.h>
#include <stdint.h>

#include "base/check.h"

struct cancel {
	double share;           /* 0 to 1, of the requests */
	uint64_t pieces;        /* cancel after so many events with content; 0: not by events */
	uint64_t after;         /* cancel after this time, ns; 0: not by time */
	bool streams_by_pieces; /* if both are set: streams by events, other answers by time */
};

/* Reads one of the forms above. False: the text has none of them. */
bool cancel_parse(const char *text, struct cancel *ret) MUST_CHECK;
/* True if the send with this number is to be cancelled. The same seed gives the same choice. */
bool cancel_selects(const struct cancel *c, uint64_t seed, uint32_t send);
