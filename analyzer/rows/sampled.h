#pragma once
/*
 * sampled - the two-sample test over a capture: prompts that were sampled several times are read
 * once more.
 */
#include "analyzer/rows/exchange_rows.h"
#include "analyzer/rows/repeats.h"
#include "analyzer/rows/selection.h"

#define SAMPLED_ALPHA 0.01

/* Gives a samples_row for each group and request. samples: settled; selection: by which they
 * were chosen. One thread. */
void sampled_rows(struct row_maker *m, const struct selection *selection,
        const struct repeats *samples, const struct row_sink *sink);
