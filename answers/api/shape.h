#pragma once
/*
 * shape - recognises the form of an answer's document by its members.
 */
#include "answers/reading.h"

/* Reads the top-level keys, no further than necessary. SHAPE_UNKNOWN: none is known, such as an
 * error alone, or not JSON. */
enum reading_shape shape_of(struct span text, struct span event_name);
