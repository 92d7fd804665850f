#pragma once
/*
 * html_parts - what html.c and html_fallback.c share. Private to these two.
 */
#include <stdio.h>

#include <jansson.h>

void html_text(const char *text, FILE *to); /* escaped; NULL is nothing */
/* What is shown where no script runs. */
void html_fallback(const json_t *document, FILE *to);
/* "primary against reference", of the first group that is no floor; "" if there is none. Within size. */
void html_title(const json_t *document, char *to, size_t size);
