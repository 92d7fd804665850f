#pragma once
/*
 * replay_summary - writes the result of a replay as JSON, and as the result file of vLLM's
 * benchmark.
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "replay/load_figures.h"
#include "replay/runner.h"
#include "replay/source.h"
#include "replay/steps.h"

struct replay_summary {      /* the caller owns everything in it */
	const char *source;  /* the source, as given on the command line */
	const char *capture; /* directory of the capture with the answers */
	/* the first target; `load` has all targets, and figures of each */
	const struct target *target;
	const char *version; /* the engine's version, or NULL */
	char *const *models; /* the requested models, each once, in the source's order */
	size_t n_models;
	const struct runner_settings *load;
	const struct pace *pace;   /* for LOAD_RATE */
	const struct steps *steps; /* NULL: none */
	const struct load_figures *figures;
	const struct runner_result *result;
	const struct source_scan *scan;
	struct id run;
	bool resumed;      /* an earlier process began this run */
	uint64_t sends;    /* number of sends in the plan */
	bool measured;     /* the search finished, so it did not need the sends that are left */
	uint64_t left_due; /* sends that were due in a step, but not made */
	uint64_t before;   /* answers that earlier processes of this run recorded */
	uint64_t again;    /* sends that were repeated because a crash lost the first record */
	uint64_t lost;     /* answers that could not be recorded */
};

/* Writes one line: {"event":"end", ...}. */
void replay_summary_json(const struct replay_summary *r, FILE *to);
/* Writes the file of `vllm bench serve --save-result`. Its times are in milliseconds, from the
 * time of sending. Returns 0 or -errno. */
int replay_summary_save(const struct replay_summary *r, const char *path) MUST_CHECK;
const char *replay_summary_end_name(enum runner_end e);
