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

/* Totals over all system and developer messages, and the members `system` and `instructions`;
 * zero: there are none. */
struct system_text {
	uint32_t bytes, words; /* words: separated by white space */
};
void request_system_text(struct span body, struct system_text *ret);

/* Replaces the contents of `to` by the text of a message's content: a string, or a list of
 * parts. Each part with a text is on its own line; other parts are left out. */
void request_content(struct span content, struct buf *to);

/* True if `text` equals one of the stop sequences that the request asks for. */
bool request_stops_at(struct span body, struct span text);
