#pragma once
/*
 * extract_boxed - the last \boxed{} of a text, with what stands around it: a unit behind it, the
 * variable before it. Where that makes it no plain answer ("-\boxed{5}", "not \boxed{5}"), it is doubted.
 */
#include "analyzer/compare/meaning/extract.h"

/* False: there is none. *ret_behind: the text behind it. */
bool extract_boxed(struct climb *c, enum question q, struct extract *ret, struct span *ret_behind);
