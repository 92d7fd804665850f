#pragma once
/*
 * opinion_report - shared by the summaries of score, judge and grade: reasons, and writing a
 * document.
 */
#include <stdint.h>
#include <stdio.h>

#include <jansson.h>

#include "base/error_tally.h"

const char *opinion_report_plural(uint64_t n); /* "s" unless n is 1 */
/* Prints lines such as "3 answers failed: the engine is busy". */
void opinion_report_print(
        const struct error_tally *r, const char *noun, const char *what, FILE *to);
/* [{"why", "n"}] */
json_t *opinion_report_reasons(const struct error_tally *r);
/* The document in one line. Both take ownership of it. */
void opinion_report_write(json_t *document, FILE *to);
char *opinion_report_text(json_t *document); /* the caller frees it */
