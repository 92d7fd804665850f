#pragma once
/*
 * analysis_jobs - an analysis by several threads. Private to the analyzer.
 *
 * This thread reads which exchanges there are and hands out blocks of them; each worker judges its
 * blocks through a capture of its own; this thread merges them in their order. At most a few blocks
 * a worker are held.
 */
#include "analyzer/analysis.h"

#define ANALYSIS_BLOCK 256 /* exchanges */

/* What the block holds may be taken: only analysis_finish() is left for it. */
typedef void (*analysis_merge_fn)(void *arg, struct analysis *block);

/* False: the captures could not be opened once more; nothing was done, and c is as it was. */
bool analysis_jobs_run(struct capture *c, const struct analysis_options *options,
        analysis_merge_fn merge, void *arg);
