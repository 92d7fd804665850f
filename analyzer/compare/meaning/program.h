#pragma once
/*
 * program - the Python program of an answer: the last of its code blocks that defines the function.
 */
#include "base/buf.h"

/* function: its name, or NULL for any program. Points into the answer; empty: it has none. */
struct span program_of(struct span answer, const char *function);
