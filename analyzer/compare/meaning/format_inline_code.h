#pragma once
/*
 * inline_code - where two texts have code between backquotes: `a b` is not `a` `b`. Pure; linear.
 */
#include <stdbool.h>

#include "base/buf.h"

/* The places (markup_plain_placed) of two texts that have the same words. True: no piece of code of
 * one side reaches over two of the other's, or over the end of one. */
bool inline_code_borders_agree(const struct buf *a, const struct buf *b);
