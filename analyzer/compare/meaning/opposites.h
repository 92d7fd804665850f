#pragma once
/*
 * opposites - words that turn a statement around where they are exchanged: "a profit of 5", "a loss
 * of 5". English only; pure.
 */
#include <stdbool.h>

#include "base/buf.h"

/* One text says one of two opposites, and the other text the other one. */
bool opposites_part(struct span a, struct span b);
