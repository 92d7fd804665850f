#pragma once
/*
 * request_signs - the parts of a request's body that explain why answers differ: its system text
 * and its stop sequences.
 *
 * The body comes from a client and is not trusted: anything but JSON of the known forms is ignored.
 * Pure.
 */
#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"

/* Totals over all system and developer messages; zero: there are none. */
struct system_text {
	uint32_t bytes, words; /* words: separated by blanks */
};
void request_system_text(struct span body, struct system_text *ret);

/* Replaces the contents of `to` by the text of a message's content (a string or a list of
 * parts), each part on its own line. */
void request_content(struct span content, struct buf *to);

/* True if the text is one of the stop sequences that the request asks for. */
bool request_stops_at(struct span body, struct span text);
