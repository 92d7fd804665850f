#pragma once
/*
 * aside_store - the capture that a command reads answers from, and the segment in which it records
 * its legs (backends/aside.h).
 */
#include <stdio.h>

#include "base/budget.h"
#include "capture/capture.h"
#include "capture/ledger.h"
#include "capture/recorder.h"

/* The segment for asides. */
struct aside_store { /* must not move while it is open */
	struct budget budget;
	struct recorder *recorder;
	struct ledger *ledger;
	struct ledger_book *book;
};

/* Opens the capture in dir. to: another capture for the results, or NULL. If `to` is already a
 * capture, it is read too, so that finished work is not repeated. Returns NULL if it cannot be
 * read, and a sentence in *ret_error. */
struct capture *aside_capture(const char *dir, const char *to, char **ret_error);
/* settings: JSON without secrets, stored in the segment. Returns NULL, or why nothing can be
 * recorded there. */
char *aside_open(const char *dir, const char *to, const char *settings, const char *book,
        struct aside_store *ret) MUST_CHECK;

/* Prints the command that shows the results. */
void aside_print_command(const char *dir, const char *to, FILE *out);
