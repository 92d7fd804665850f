#pragma once
/*
 * score_task - scores one answer and records the scores, for `plumbline score` and for the proxy.
 */
#include "backends/scoring/scorer.h"
#include "capture/ledger.h"
#include "capture/recorder.h"

struct score_task {              /* borrowed: the caller keeps all of it */
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
	bool waits; /* if the recorder is full, waits until it has room, so that nothing is lost */
};

/*
 * Asks the engine and, if there are scores, gives a leg marked `scored` to the recorder: its
 * request as one edit of the exchange's body, the engine's answer, the row. *ret_tokens: scored
 * tokens of the answer. True: the recorder and the book have the leg. If the leg could not be
 * stored completely, this also returns true, but the result is SCORER_FAILED; the leg is marked as
 * incomplete and does not count. Not on an event loop.
 */
bool score_task_run(struct scorer *s, const struct score_task *t, struct scorer_result *ret,
        uint64_t *ret_tokens);
