#pragma once
/*
 * program - the Python program in an answer: the last code block that defines the function.
 */
#include "base/buf.h"

/* function: its name, or NULL for any program. The result points into the answer; empty: there is
 * none. */
struct span program_of(struct span answer, const char *function);
