#pragma once
/*
 * attribute - what an answer is told by that is one of several, somebody's, or to something else than was asked: "the first answer",
 * "the answer of Bob", "the answer to part a", "for the boys, the result". English only; pure; linear.
 *
 * An answer, a result, a solution or a response is taken for what was asked for only where all that stands between it and its verb
 * is known to say nothing of which one it is.
 */
#include "base/buf.h"

/* In what stands in a sentence before its value. The words that tell which one it is, to the end; empty: none do, or it speaks
 * of no answer. */
struct span attribute_of_answer(struct span before);
/* In what stands in a sentence before its "answer". From the case that it is of to the end, "for part a, the", or all where somebody
 * says it, "Bob says the"; empty: neither. */
struct span attribute_of_lead(struct span lead);
