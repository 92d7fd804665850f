#pragma once
/*
 * score - `plumbline score`, which `plumbline replay --force-tokens` is too: a backend scores the
 * tokens that another backend generated.
 */
#include <stdbool.h>
#include <stdint.h>

#include "backends/scoring/scorer.h"
#include "cli/opinions/opinion_engine.h"

#define SCORE_CONCURRENCY 4 /* the default */
#define SCORE_CONCURRENCY_LIMIT 256

/* The command line; texts may be NULL except where it says so. */
struct score_options {
	const char *verb; /* the command that the user typed; not NULL */
	const char *dir;  /* the capture; not NULL */
	struct opinion_engine_wish engine;
	const char *of, *model, *template, *capture;
	enum score_prompt prompt;
	unsigned concurrency; /* up to SCORE_CONCURRENCY_LIMIT */
	int top;
	uint64_t limit, timeout_ns;
	bool json;
};

/* Scores, prints, and returns an exit code. */
int score_run(const struct score_options *o);
