#pragma once
/*
 * score - the work of `plumbline score` and of `plumbline replay --force-tokens`: a backend scores
 * the tokens that another backend generated.
 */
#include "analyzer/annotate/score_answers.h"
#include "cli/opinions/opinion_engine.h"
#include "cli/opinions/opinion_run.h"

#define SCORE_CONCURRENCY 4 /* the default */

struct score_run {
	/* Options, which the caller sets; also: `verb`, `dir` and `to` of run; `of`, concurrency,
	 * limit, and the scorer's prompt and top of job. */
	struct opinion_engine_options asked_engine;
	const char *model, *template; /* NULL: not given */
	uint64_t timeout_ns;
	bool json;
	/* The state of one run. */
	struct opinion_run run;
	struct opinion_engine engine;
	struct score_job job;
};

/* Scores, prints, and returns an exit code. */
int score_run(struct score_run *r);
