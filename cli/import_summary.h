#pragma once
/*
 * import_summary - the summary of an import: what it stored, and what it could not read.
 */
#include <stdbool.h>
#include <stdint.h>

#include "base/error_tally.h"
#include "capture/formats/deposit.h"

struct import_summary {
	const char *capture; /* its directory */
	struct deposit_figures figures;
	uint64_t n_bad;
	struct error_tally bad, unfit, notes; /* bad: those that were not printed one by one */
	bool ended_early;
};

/* To standard output. */
void import_summary_text(const struct import_summary *s);
void import_summary_json(const struct import_summary *s);
void import_summary_finish(struct import_summary *s);
