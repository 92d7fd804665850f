#pragma once
/*
 * import_summary - prints the summary of an import: what it stored, and what it could not read.
 */
#include <stdbool.h>
#include <stdint.h>

#include "base/error_tally.h"
#include "capture/formats/import_store.h"

struct import_summary {
	const char *capture; /* directory of the capture */
	struct import_store_figures figures;
	uint64_t n_bad; /* all damaged lines or elements */
	/* reasons with counts: damaged lines or elements that were not printed one by one; those
	 * that cannot be imported; answers that were imported in part */
	struct error_tally bad, unfit, notes;
	bool ended_early; /* a signal interrupted it */
};

/* Print to standard output. */
void import_summary_text(const struct import_summary *s);
void import_summary_json(const struct import_summary *s);
void import_summary_finish(struct import_summary *s);
