#pragma once
/*
 * opinion_run - what `score`, `judge` and `grade` have in common: the capture whose answers they
 * ask about, the segment in which they record the results, and parts of their summaries.
 *
 * One thread. Functions that return an exit code print the error first.
 */
#include <stdio.h>

#include "analyzer/annotate/annotator.h"
#include "base/json_writer.h"

struct opinion_run {      /* zero-initialise it, and set verb, dir and to */
	const char *verb; /* the command that the user typed */
	const char *dir;  /* the capture; not NULL */
	/* another directory for the results; NULL: dir. If it is a capture already, it is read
	 * together with dir, so that finished work is not repeated. */
	const char *to;
	struct capture *capture;    /* NULL: not open */
	struct recording recording; /* of the results */
	uint64_t lost;              /* results that could not be written */
};

/* Opens the capture, and prints which segments are left out. */
int opinion_run_open(struct opinion_run *r);
/* Begins the segment. settings, book: as in recording_open(). */
int opinion_run_begin_segment(struct opinion_run *r, const char *settings, const char *book);
/* Ends the segment and sets `lost`. error: a sentence that says why the work failed, or NULL; it is
 * printed and freed. Returns EXIT_RUNTIME if there is an error; else EXIT_PASS, even if results
 * were lost. */
int opinion_run_end_segment(struct opinion_run *r, char *error);
void opinion_run_close(struct opinion_run *r);
/* True if the same command must run again, because answers are left. */
bool opinion_run_is_unfinished(const struct opinion_run *r, const struct annotator_tally *t);

/* Prints " in 3 s"; nothing if it took less than a second. */
void opinion_run_print_time(const struct annotator_tally *t, FILE *to);
/* Prints lines such as "3 answers failed: the engine is busy". noun: "answer"; what: "failed". */
void opinion_run_print_reasons(
        const struct error_tally *r, const char *noun, const char *what, FILE *to);
/* Prints what was lost, why answers are left, and how to continue; nothing if the run is finished.
 * one, many: "score", "scores". */
void opinion_run_print_end(const struct opinion_run *r, const struct annotator_tally *t,
        const char *one, const char *many, FILE *to);
/* Prints the command that shows the results: `plumbline analyze DIR [TO] [--base BASE] [--test
 * TEST]`. to, base, test: NULL: without it; `to` is also left out if it is no capture. */
void opinion_run_print_command(
        const char *dir, const char *to, const char *base, const char *test, FILE *out);
/* Ends the document, prints it in one line, and frees *w->to. */
void opinion_run_print_json(struct json_writer *w, FILE *to);
