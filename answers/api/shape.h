#pragma once
/*
 * shape - recognises the form of an answer's document by its members.
 */
#include "answers/reading.h"

/* Reads only as many top-level keys as necessary. SHAPE_UNKNOWN: no key tells it (for example,
 * an error alone), or the text is not JSON. */
enum reading_shape shape_of(struct span text, struct span event_name);
