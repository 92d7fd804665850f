#pragma once
/*
 * redact_form - decides which texts of a document belong to its form and not to a person. Only for
 * capture/privacy/ and cli/capture/capture_scrub.c.
 *
 * It knows the names in the engines' APIs, and the fixed values of some members. Everything else
 * counts as private. If a name is missing here, a copy loses some of its form; a wrong name here
 * would leak a secret. Pure; any thread.
 */
#include <stdbool.h>

#include "base/buf.h"

/* True if an engine's API has this name. The name is compared as the document has it: a name
 * with escapes is not known. */
bool redact_form_has_name(struct span name);
/* True for a member in which a user chose the names and values, not the API. object: its value is
 * an object. (A tool's `input` is an object, which the user chose; a request's `input` is not.) */
bool redact_form_is_of_user(struct span name, bool object);
/* True for a member in which numbers, also those in arrays, are counts or measures. */
bool redact_form_is_measure(struct span name);
/* True for a value that the APIs define for this member, such as "assistant" or "stop". */
bool redact_form_is_value(struct span name, struct span value);
/* True if the value looks like the name of a model, a version or an engine: no spaces, no
 * quotation marks, not too long. */
bool redact_form_is_label(struct span value);
/*
 * The number of bytes from offset `at` (below `end`) that are the form of an event stream: the
 * field's name with the colon, and the event's name if it is known. 0: no line begins at `at`, or
 * it begins with no known field.
 */
size_t redact_form_field(struct span body, size_t at, size_t end);
