#pragma once
/*
 * redact_form - decides which texts of a document belong to its form and not to a person. Private
 * to redact_pieces.c and to the code that makes copies without words.
 *
 * It knows the names of the engines' interfaces, and the fixed values of some members. Everything
 * else counts as private: if a name is missing here, a copy loses some of its form; a wrong name
 * would leak a secret. Pure; any thread.
 */
#include <stdbool.h>

#include "base/buf.h"

/* Names are taken as written in the document: one with escapes is not known. */
bool redact_form_has_name(struct span name);
/* True for a member whose content has names and values chosen by its writer. object: the
 * member's value is an object. */
bool redact_form_is_foreign(struct span name, bool object);
/* True for a member in which numbers, also those in arrays, are counts or measures. */
bool redact_form_is_measure(struct span name);
/* A value that the interfaces define for this member: "assistant", "stop". */
bool redact_form_is_value(struct span name, struct span value);
/* Looks like the name of a model, a version or an engine: no spaces, no quotation marks, not too
 * long. */
bool redact_form_is_label(struct span value);
/*
 * The number of bytes at `at`, up to end, that are the form of an event stream: at the beginning of
 * a line, the field's name with the colon, and the event's name if it is known.
 */
size_t redact_form_field(struct span body, size_t at, size_t end);
