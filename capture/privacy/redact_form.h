#pragma once
/*
 * redact_form - what in a document is its form and nobody's words. Private to redact_pieces.c and to who makes copies
 * without words.
 *
 * The names, and the values of some of them, that the engines' interfaces are known to have. All else is
 * taken for somebody's: a name or a value that is missing here costs a copy some of its form, one that is
 * too many would cost a secret. Pure; any thread.
 */
#include <stdbool.h>

#include "base/buf.h"

/* All take names as they stand in the document: one with escapes is not known. */
bool redact_form_has_name(struct span name);
/* What is in such a member has names and values of its own, which are its writer's. */
bool redact_form_is_foreign(struct span name, bool object);
/* Numbers in it, and in arrays in it, count or measure something. */
bool redact_form_is_measure(struct span name);
/* A word that the interfaces define for this member: "assistant", "stop". */
bool redact_form_is_value(struct span name, struct span value);
/* Written as models, versions and engines are called: no spaces, no quotation marks, not too long. */
bool redact_form_is_label(struct span value);
/*
 * How many bytes of what stands at `at`, up to end, are an event stream's form: if it begins a line there, its field's
 * name with the colon, and the event's name if it is known.
 */
size_t redact_form_field(struct span body, size_t at, size_t end);
