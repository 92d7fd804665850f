#pragma once
/*
 * html - writes an analysis as one self-contained page: its summary, the document, and a script
 * that adds charts and answers. Without scripts, the summary remains.
 *
 * Texts of engines and clients are data and never markup. In the embedded document, every character
 * that could end it is escaped. The script shows texts as text nodes, and the page's content
 * security policy allows only this script. Errors of writing remain in `to` (ferror()).
 */
#include <stdio.h>

#include <jansson.h>

void html_write(const json_t *document, FILE *to);
