#pragma once
/*
 * text - a saved analysis on a terminal: what matters of it, in lines of at most 100 columns.
 *
 * plumbline analyze prints more, from what it has at hand when it has read the capture.
 */
#include <stdio.h>

#include <jansson.h>

void text_write(const json_t *document, FILE *to);
