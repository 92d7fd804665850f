#pragma once
/*
 * html - an analysis as one page that needs nothing beside itself: the document, and what shows it.
 * Where no script may run it still has the sentence, the figures that matter and the pairs' list.
 *
 * What engines and clients wrote is data and never markup: in the document everything is escaped
 * that could end it, in the page it becomes text, and the page's policy lets only its own script run.
 */
#include <stdio.h>

#include <jansson.h>

void html_write(const json_t *document, FILE *to);
