#pragma once
/*
 * lines - texts for a terminal. What comes from a document is made harmless: control characters become '?'.
 */
#include <stdio.h>

#define LINES_WIDTH 98

/* Broken between words; those after the first begin with rest. */
void lines_wrapped(const char *text, const char *first, const char *rest, FILE *to);
/* Its first columns, without what a terminal would obey. */
void lines_put(const char *text, size_t columns, FILE *to);
