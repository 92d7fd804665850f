#pragma once
/*
 * request_signs - what a request's body says that explains why answers differ: its system text and
 * its stop sequences.
 *
 * The body is a client's, so anybody's: what is no JSON of the known forms says nothing. Pure.
 */
#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"

/* Of all system and developer messages; zero: there is none. */
struct system_text {
	uint32_t bytes, words; /* words: between blanks */
};
void request_system_text(struct span body, struct system_text *ret);

/* The text of a message's content, a string or a list of parts; into `to`, in place of what is there,
 * each part on a line of its own. */
void request_content(struct span content, struct buf *to);

/* Whether that text is one of the stop sequences that the request asks for. */
bool request_stops_at(struct span body, struct span text);
