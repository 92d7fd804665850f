#pragma once
/*
 * analysis_exchange - one exchange of a capture: is it chosen, what is counted of it, and its rows are folded.
 * Private to the analysis.
 */
#include "analyzer/analysis.h"
#include "analyzer/exchange_rows.h"

struct exchange_folder { /* one thread */
	const struct analysis_options *options;
	struct row_maker maker;
	struct analysis *to;
};

/* All outlive it. */
void exchange_folder_init(struct exchange_folder *f, struct capture *c,
        const struct analysis_options *options, struct slices *slices);
void exchange_folder_finish(struct exchange_folder *f);
/* Legs that were not chosen are taken out of e. */
void exchange_folder_add(
        struct exchange_folder *f, struct analysis *to, struct capture_exchange *e);
