#pragma once
/*
 * shape - recognises the form of an answer's document by its members.
 */
#include "answers/reading.h"

/* Reads top-level keys until one shows the shape. SHAPE_UNKNOWN: none does (for example, the
 * document has only an error), or the text is not JSON. event_name: of a stream's event, or
 * empty. */
enum reading_shape shape_of(struct span text, struct span event_name);
