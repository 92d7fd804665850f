#pragma once
/*
 * extract_first - a yes or no that a text begins with, and what is said with it.
 */
#include "analyzer/compare/meaning/extract.h"

/* "Yes, ...": its value and source, what is said with it, and whether there are others. False: there is none, or it is taken back. */
bool extract_first(struct span words, enum question q, struct extract *ret);
