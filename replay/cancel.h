#pragma once
/*
 * cancel - which requests of a replay are given up before their answer is whole, as clients do that lose patience. Pure.
 *
 *	5%              a stream after its 16th piece of content, another answer after a second
 *	5%@tokens:40    streams alone, after so many events with content
 *	5%@after:250ms  after that time, if it has not been answered by then
 */
#include <stdbool.h>
#include <stdint.h>

#include "base/check.h"

struct cancel {
	double share;           /* 0: none */
	uint64_t pieces;        /* events with content; 0: not by these */
	uint64_t after;         /* ns; 0: not by time */
	bool streams_by_pieces; /* where both are set: pieces for streams, the time for others */
};

bool cancel_parse(const char *text, struct cancel *ret) MUST_CHECK;
/* Send number `send` is one of them: the same for the same seed. */
bool cancel_takes(const struct cancel *c, uint64_t seed, uint32_t send);
