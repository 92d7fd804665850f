#pragma once
/*
 * sampled - makes the two-sample test over a capture (stats/two_sample.h). It reads again those
 * exchanges whose request got several sampled answers.
 */
#include "analyzer/rows/exchange_rows.h"
#include "analyzer/rows/repeats.h"
#include "analyzer/rows/selection.h"

/* Gives a samples_row to sink for each group and each request in `samples`. samples: from
 * repeats_add_sampled(), after repeats_settle(). selection: the one with which they were found.
 * One thread. */
void sampled_rows(struct row_maker *m, const struct selection *selection,
        const struct repeats *samples, const struct row_sink *sink);
