#pragma once
/*
 * program - the Python program of an answer: of its blocks the last that defines what was asked for.
 */
#include "base/buf.h"

/* function: its name, or NULL for a whole program. Points into the answer; empty: it has none. */
struct span program_of(struct span answer, const char *function);
