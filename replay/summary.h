#pragma once
/*
 * summary - a replay's outcome as JSON, and as the result file of vLLM's benchmark.
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "replay/figures.h"
#include "replay/runner.h"
#include "replay/source.h"
#include "replay/steps.h"

struct summary {
	const char *source, *capture; /* directory in which the answers are */
	const struct target
	        *target;     /* of several the first: those are in load, with figures each */
	const char *version; /* of the engine, or NULL */
	char *const *models; /* that it was asked for, each once, in the source's order */
	size_t n_models;
	const struct runner_settings *load;
	const struct pace *pace;   /* of LOAD_RATE */
	const struct steps *steps; /* NULL: it had none */
	const struct figures *figures;
	const struct runner_result *result;
	const struct source_scan *scan;
	struct id run;
	bool resumed;
	uint64_t sends;    /* of the whole plan */
	bool measured;     /* its steps came to their end: what is left was not needed */
	uint64_t left_due; /* of steps: of what is left, those whose time came in one */
	uint64_t before;   /* recorded by earlier processes of this run */
	uint64_t again;    /* sent again, since the record of the first time was lost */
	uint64_t lost;     /* answers that could not be written to the capture */
};

/* One line: {"event":"end", ...}. */
void summary_json(const struct summary *r, FILE *to);
/* What `vllm bench serve --save-result` writes: figures from the send, in milliseconds. 0, or -errno. */
int summary_save(const struct summary *r, const char *path) MUST_CHECK;
const char *summary_end_name(enum runner_end e);
