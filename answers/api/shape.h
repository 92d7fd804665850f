#pragma once
/*
 * shape - what an answer's document is, told by its members.
 */
#include "answers/reading.h"

/* Looks at the keys at the document's top and no further than it must. SHAPE_UNKNOWN: none of those
 * known, such as an error alone, or not JSON. */
enum reading_shape shape_of(struct span text, struct span event_name);
