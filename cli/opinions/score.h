#pragma once
/*
 * score - the work of `plumbline score` and of `plumbline replay --force-tokens`: a backend scores
 * the tokens that another backend generated.
 */
#include "analyzer/annotate/score_answers.h"
#include "cli/opinions/opinion_engine.h"
#include "cli/opinions/opinion_run.h"

#define SCORE_CONCURRENCY 4 /* the default */

/* The options and the state of one run. The caller sets `verb`, `dir` and `to` of the run;
 * asked_engine and the members below it, where texts may be NULL; and of the job `of`, concurrency,
 * limit, and the scorer's prompt and top. */
struct score_run {
	struct opinion_run run;
	struct opinion_engine_options asked_engine;
	const char *model, *template;
	uint64_t timeout_ns;
	bool json;
	struct opinion_engine engine;
	struct score_job job;
};

/* Scores, prints, and returns an exit code. */
int score_run(struct score_run *r);
