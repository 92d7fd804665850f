#pragma once
/*
 * beside - what is said beside code, JSON or tool calls that are the same on both sides. Two texts agree
 * there only where they are known to say nothing more than "here it is", or, if what they stand beside
 * is what was asked for, to be explanations of their own with no judgement in them. English only; pure.
 */
#include <stdbool.h>

#include "base/buf.h"

/* No more than "here it is", in few words: another way to write the same answer. */
bool beside_is_filler(struct span words);
/* Texts without markup. held: what the calls say, whose words may be said once more; empty: no calls.
 * codes: they have the same between backquotes. asked: what they stand beside is all that was asked for. */
bool beside_agree(struct span a, struct span b, struct span held, bool codes, bool asked);
