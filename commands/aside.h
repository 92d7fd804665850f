#pragma once
/*
 * aside - a leg that is no answer to its exchange's prompt, on its way into the capture: scores, or
 * what a judge said.
 */
#include <stdio.h>

#include "backends/call.h"
#include "backends/dialect.h"
#include "base/budget.h"
#include "capture/capture.h"
#include "capture/ledger.h"
#include "capture/recorder.h"
#include "commands/score_backend.h"

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

struct aside { /* all of it is borrowed */
	const struct score_backend *backend;
	const struct dialect *dialect;
	enum endpoint endpoint; /* that was asked */
	unsigned in_flight;
	struct id exchange;
	uint64_t body_bytes; /* of the exchange's request, which gives way to: */
	struct span request;
	const struct call_answer *answer;
	uint64_t start_ns; /* wall clock, when it was sent */
	uint32_t marks;    /* enum leg_mark */
	struct id of, against;
	uint32_t at; /* as leg_row has them */
};

/*
 * Hands the leg to the recorder: its request as one edit of the exchange's body, the engine's answer,
 * the row. Waits while the recorder has much to write. Any thread. False: the answer could not be
 * stored whole; the leg says so and counts for nothing.
 */
bool aside_record(
        const struct aside *a, struct recorder *recorder, struct ledger_book *book) MUST_CHECK;
