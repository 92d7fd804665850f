#pragma once
/*
 * program - the Python program in an answer: the last code block that is Python, or has no label,
 * and defines a given function. An answer that is a program without a fence is such a block. Pure.
 */
#include "base/buf.h"

/* function: the name of the function that the program must define; NULL: it need define none. The
 * result points into the answer; empty: there is none. */
struct span program_of(struct span answer, const char *function);
