#pragma once
/*
 * program - finds the Python program in an answer: the last code block that defines a given
 * function and has a label of Python or none. If the whole answer is a program, it needs no fence.
 * Pure.
 */
#include "base/buf.h"

/* Returns the program; it points into the answer. Empty: there is none. function: name of the
 * function that the program must define; NULL: any program counts. */
struct span program_of(struct span answer, const char *function);
