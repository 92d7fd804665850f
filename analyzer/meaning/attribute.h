#pragma once
/*
 * attribute - what an answer is told by that is one of several, somebody's, or to something else than was asked: "the first answer",
 * "the answer of Bob", "the answer to part a", "the answer key". English only; pure; linear.
 */
#include "base/buf.h"

/* In what stands in a sentence before its value. The words that tell which one it is, to the end; empty: none do, or it speaks
 * of no answer. */
struct span attribute_of_answer(struct span before);
