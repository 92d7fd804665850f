#pragma once
/*
 * score - the work of `plumbline score` and of `plumbline replay --force-tokens`: a backend scores
 * the tokens that another backend generated.
 */
#include "analyzer/annotate/score_answers.h"
#include "cli/opinions/opinion_engine.h"

#define SCORE_CONCURRENCY 4 /* the default */

/* The options; texts may be NULL unless stated otherwise. */
struct score_options {
	const char *verb; /* the command that the user typed; not NULL */
	const char *dir;  /* the capture; not NULL */
	struct opinion_engine_options engine;
	const char *model, *template, *capture;
	uint64_t timeout_ns;
	bool json;
	/* Options are `of`, `concurrency`, `limit`, and of the scorer `prompt` and `top`. */
	struct score_job job;
};

/* Scores, prints, and returns an exit code. */
int score_run(const struct score_options *o);
