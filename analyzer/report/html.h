#pragma once
/*
 * html - an analysis as one page that needs nothing beside itself: its summary, the document, and a script that adds
 * charts and the answers. Where no script may run the summary is there.
 *
 * What engines and clients wrote is data and never markup: in the document everything is escaped
 * that could end it, in the page it becomes text, and the page's policy lets only its own script run.
 */
#include <stdio.h>

#include <jansson.h>

void html_write(const json_t *document, FILE *to);
