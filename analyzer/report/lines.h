#pragma once
/*
 * lines - texts for a terminal. What comes from a document is made harmless: control characters
 * become '?'.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#define LINES_WIDTH 80

/* Broken between words; those after the first begin with rest. */
void lines_wrapped(const char *text, const char *first, const char *rest, FILE *to);
/* Its first columns, without what a terminal would obey; returns how many. */
size_t lines_put(const char *text, size_t columns, FILE *to);
#define LINES_CELL 60

/* A row of a table, indented: cells of at most LINES_CELL columns, padded to widths, the first on the
 * left and all others on the right. NULL is empty. */
void lines_row(const char *const *cells, const size_t *widths, size_t n, FILE *to);
