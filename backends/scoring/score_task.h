#pragma once
/*
 * score_task - one answer scored and recorded: what `plumbline score` does with a leg of a capture, and the
 * proxy with an answer that has just ended.
 */
#include "backends/scoring/scorer.h"
#include "capture/ledger.h"
#include "capture/recorder.h"

struct score_task {              /* all of it is borrowed */
	struct id exchange, leg; /* whose answer it is */
	uint64_t body_bytes;     /* of the exchange's request */
	const char *model;       /* as the engine names it, or NULL */
	const struct score_subject *subject;
	/* Who scores, as the leg names it; url without credentials. */
	const char *backend, *url;
	enum role role;
	struct id manifest; /* of its stack; zero: none is known */
	unsigned in_flight; /* requests to it at a time */
	/* Where the scores go. */
	struct recorder *recorder;
	struct ledger_book *book;
	bool waits; /* for room in the recorder, so that nothing is lost for want of it */
};

/*
 * Asks, and hands a leg marked `scored` to the recorder when there are scores: its request as one edit of the
 * exchange's body, the engine's answer, the row. *ret_tokens: tokens of the answer that were scored.
 * True: a leg was handed over, and the book has it. Its result is SCORER_FAILED all the same when it could not be stored
 * whole: the leg says so and counts for nothing. Not in a loop's thread.
 */
bool score_task_run(struct scorer *s, const struct score_task *t, struct scorer_result *ret,
        uint64_t *ret_tokens);
