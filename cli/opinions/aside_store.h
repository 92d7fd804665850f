#pragma once
/*
 * aside_store - the capture that a command reads answers from, and the segment that it records its asides
 * (backends/aside.h) in.
 */
#include <stdio.h>

#include "base/budget.h"
#include "capture/capture.h"
#include "capture/ledger.h"
#include "capture/recorder.h"

/* Where asides go: a segment of their own. */
struct aside_store { /* must not be moved while it is open */
	struct budget budget;
	struct recorder *recorder;
	struct ledger *ledger;
	struct ledger_book *book;
};

/* dir: a capture; to: another one for what is recorded, or NULL. Where to is a capture already it is read as well,
 * for what is in it need not be asked for again. NULL and a sentence: it can't be read. */
struct capture *aside_capture(const char *dir, const char *to, char **ret_error);
/* settings: JSON without secrets, as the segment keeps it. NULL, or why nothing can be recorded there. */
char *aside_open(const char *dir, const char *to, const char *settings, const char *book,
        struct aside_store *ret) MUST_CHECK;

/* The command that shows what was recorded, of the same two. */
void aside_see_figures(const char *dir, const char *to, FILE *out);
