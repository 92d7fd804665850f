#pragma once
/*
 * html - writes an analysis as one self-contained page: its summary, the document, and a script
 * that adds charts and answers. Without scripts, the summary remains.
 *
 * Texts of engines and clients are data and never markup. Within the document, everything that
 * could end it is escaped. In the page, the script makes text nodes of them, and the page's policy
 * allows only its own script.
 */
#include <stdio.h>

#include <jansson.h>

void html_write(const json_t *document, FILE *to);
