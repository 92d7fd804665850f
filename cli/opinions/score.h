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
	/* Options. The caller also sets run.verb, run.dir, run.to, and of job: `of`, concurrency,
	 * limit, scorer.prompt and scorer.top. */
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
