#pragma once
/*
 * summary - the result of a replay as JSON, and as the result file of vLLM's benchmark.
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "replay/figures.h"
#include "replay/runner.h"
#include "replay/source.h"
#include "replay/steps.h"

struct summary {             /* borrowed: the caller owns all of it */
	const char *source;  /* what was replayed, as given */
	const char *capture; /* directory of the capture with the answers */
	/* the first target; `load` has all targets and the figures of each */
	const struct target *target;
	const char *version; /* the engine's, or NULL */
	char *const *models; /* the requested models, each once, in the source's order */
	size_t n_models;
	const struct runner_settings *load;
	const struct pace *pace;   /* for LOAD_RATE */
	const struct steps *steps; /* NULL: none */
	const struct figures *figures;
	const struct runner_result *result;
	const struct source_scan *scan;
	struct id run;
	bool resumed;      /* an earlier process began this run */
	uint64_t sends;    /* sends of the whole plan */
	bool measured;     /* the search finished: what is left was not needed */
	uint64_t left_due; /* sends that were not made although they were due in a step */
	uint64_t before;   /* sends that earlier processes of this run recorded */
	uint64_t again;    /* sent again because the first record was lost */
	uint64_t lost;     /* answers that could not be recorded */
};

/* One line: {"event":"end", ...}. */
void summary_json(const struct summary *r, FILE *to);
/* Writes the file of `vllm bench serve --save-result`: figures from sending, in milliseconds.
 * Returns 0 or -errno. */
int summary_save(const struct summary *r, const char *path) MUST_CHECK;
const char *summary_end_name(enum runner_end e);
