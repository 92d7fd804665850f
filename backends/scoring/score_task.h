#pragma once
/*
 * score_task - scores one answer and records the scores, for `plumbline score` and for the proxy.
 */
#include "backends/annotation.h"
#include "backends/scoring/scorer.h"

struct score_task { /* owns nothing */
	/* the scoring backend and the answer; score_task_run() sets dialect, endpoint, at and all
	 * that depends on the engine's answer */
	struct annotation about;
	const char *model; /* as the scoring engine names it, or NULL */
	const struct score_subject *subject;
	/* Where the scores are stored. */
	struct recorder *recorder;
	struct ledger_book *book;
};

/*
 * Asks the engine and, if there are scores, gives a leg with LEG_SCORED to the recorder
 * (annotation_record()). Blocks: never call it on an event loop. False: the engine gave no scores,
 * and ret->end says why; nothing was recorded. True: the recorder and the ledger have the leg, and
 * ret->end is QUESTION_DONE; or QUESTION_FAILED if the leg could not be stored completely, so that
 * it does not count. *ret_tokens: the number of the answer's tokens with a score. The caller
 * finishes *ret in any case.
 */
bool score_task_run(struct scorer *s, const struct score_task *t, struct scorer_result *ret,
        uint64_t *ret_tokens);
