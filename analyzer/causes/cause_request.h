#pragma once
/*
 * cause_request - what a request's body says that explains why answers differ: its system text and
 * its stop sequences.
 *
 * The body is a client's, so anybody's: what is no JSON of the known forms says nothing. Pure.
 */
#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"

/* Of all system and developer messages; zero: there is none. */
struct cause_system {
	uint32_t bytes, words; /* words: between blanks */
};
void cause_request_system(struct span body, struct cause_system *ret);

/* Whether that text is one of the stop sequences that the request asks for. */
bool cause_request_stops_at(struct span body, struct span text);
