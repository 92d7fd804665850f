#pragma once
/*
 * replay_summary - writes the result of a replay for people (replay_summary_text.c), as JSON, and
 * as the result file of vLLM's benchmark (replay_summary.c).
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/json_writer.h"
#include "replay/load_figures.h"
#include "replay/runner.h"
#include "replay/source.h"
#include "replay/steps.h"

struct replay_summary {      /* the caller owns everything in it */
	const char *source;  /* the source, as given on the command line */
	const char *capture; /* directory of the capture with the answers */
	/* the first target; `load` has all targets and, if there are several, their figures */
	const struct target *target;
	/* version of the first target's engine; NULL: unknown, or there are several targets */
	const char *version;
	/* the requested models under their names at the first target, each once */
	char *const *models;
	size_t n_models;
	const struct runner_settings *load;
	const struct pace *pace;   /* LOAD_RATE: its rates */
	const struct steps *steps; /* NULL: the load has no steps */
	const struct load_figures *figures;
	const struct runner_result *result;
	const struct source_scan *scan;
	struct id run;
	bool resumed;   /* an earlier process began this run */
	uint64_t sends; /* number of sends in the plan */
	/* all steps were measured, so the sends that are left need not be made */
	bool measured;
	uint64_t left_due; /* number of sends that were due in a step, but not made */
	uint64_t before;   /* number of answers that earlier processes of this run recorded */
	/* number of sends that were repeated because a crash lost their first record */
	uint64_t again;
	uint64_t lost; /* number of answers that could not be recorded */
};

/* Prints it for people. */
void replay_summary_text(const struct replay_summary *r, FILE *screen);
/* Writes one line: {"event":"end", ...}. The caller checks ferror(to). */
void replay_summary_json(const struct replay_summary *r, FILE *to);
/* Writes a file like that of `vllm bench serve --save-result`, over an existing one. Times are in
 * ms and begin at the time of sending; client_queue_time and e2el_including_client_queue begin at
 * the intended time. Returns 0 or -errno. */
int replay_summary_save(const struct replay_summary *r, const char *path) MUST_CHECK;
/* Writes a member of the open object: [{"why": "...", "n": 3}, ...]. */
void replay_summary_put_reasons(
        struct json_writer *w, const char *name, const struct error_tally *r);
