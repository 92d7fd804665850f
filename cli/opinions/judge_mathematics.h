#pragma once
/*
 * judge_mathematics - the work of `plumbline judge --with math-verify`: the marked values of pairs go in batches to workers that
 * ask Math-Verify, and its verdicts into a recorder.
 */
#include "analyzer/opinions/mathematics.h"
#include "capture/capture.h"
#include "cli/opinions/judge_work.h"

struct judge_mathematics {
	struct mathematics library; /* stopped is not for the caller */
	const char *judge;          /* its name in the figures */
	const char *version;        /* as mathematics_check() says it */
	unsigned concurrency;
	struct recorder *recorder;
	struct ledger_book *book;
};

/* Asks about all of the list, whose wish was for mathematics; SIGINT and SIGTERM end it in good order. What no sandbox
 * answered is counted as failed and leaves no leg. */
void judge_mathematics_work(struct capture *c, const struct judge_list *list,
        const struct judge_mathematics *s, struct judge_tally *ret);
