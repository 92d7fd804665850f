#pragma once
/*
 * extract_first - a yes or no that a text begins with, and what is said with it.
 */
#include "analyzer/meaning/extract.h"

/* "Yes, ...". False: there is none, or it is taken back; what was written to ret is of no use then. */
bool extract_first(struct span words, enum question q, struct extract *ret);
