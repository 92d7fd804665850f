#pragma once
/*
 * score - the work of `plumbline score` and of `plumbline replay --force-tokens`: a backend scores
 * the tokens that another backend generated.
 */
#include <stdbool.h>
#include <stdint.h>

#include "backends/scoring/scorer.h"
#include "cli/opinions/opinion_engine.h"

#define SCORE_CONCURRENCY 4 /* the default */
#define SCORE_CONCURRENCY_LIMIT 256

/* The options; texts may be NULL unless stated otherwise. */
struct score_options {
	const char *verb; /* the command that the user typed; not NULL */
	const char *dir;  /* the capture; not NULL */
	struct opinion_engine_options engine;
	const char *of, *model, *template, *capture;
	enum score_prompt prompt;
	unsigned concurrency; /* up to SCORE_CONCURRENCY_LIMIT */
	int top;
	uint64_t limit, timeout_ns;
	bool json;
};

/* Scores, prints, and returns an exit code. */
int score_run(const struct score_options *o);
