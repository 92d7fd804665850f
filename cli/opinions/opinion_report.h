#pragma once
/*
 * opinion_report - parts of the summaries of `plumbline score`, `judge` and `grade`: reasons with
 * counts, and the JSON document.
 */
#include <stdint.h>
#include <stdio.h>

#include <jansson.h>

#include "base/error_tally.h"

/* Prints a line for each reason, such as "3 answers failed: the engine is busy". noun: "answer";
 * what: "failed". */
void opinion_report_print(
        const struct error_tally *r, const char *noun, const char *what, FILE *to);
/* Prints " in 3 s"; nothing if it took less than a second. */
void opinion_report_print_time(uint64_t seconds, FILE *to);
/* The reasons as JSON: [{"why": "...", "n": 3}, ...]. */
json_t *opinion_report_reasons(const struct error_tally *r);
/* The document as text in one line, printed or returned. Both functions take ownership of the
 * document. */
void opinion_report_write(json_t *document, FILE *to);
char *opinion_report_text(json_t *document); /* the caller frees it */
