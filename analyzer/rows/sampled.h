#pragma once
/*
 * sampled - makes the two-sample test over a capture (stats/two_sample.h). For this it reads the
 * prompts that were sampled several times again.
 */
#include "analyzer/rows/exchange_rows.h"
#include "analyzer/rows/repeats.h"
#include "analyzer/rows/selection.h"

/* Gives a samples_row to sink for each group and each request in `samples`. Call after
 * repeats_settle(samples). selection: the one with which the samples were found. One thread. */
void sampled_rows(struct row_maker *m, const struct selection *selection,
        const struct repeats *samples, const struct row_sink *sink);
