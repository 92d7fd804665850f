#pragma once
/*
 * sampled - the two-sample test over a capture: reads prompts that were sampled several times once
 * more.
 */
#include "analyzer/rows/exchange_rows.h"
#include "analyzer/rows/repeats.h"
#include "analyzer/rows/selection.h"

#define SAMPLED_ALPHA 0.01

/* Gives a samples_row for each group and request. samples: settled; selection: the one that chose
 * them. One thread. */
void sampled_rows(struct row_maker *m, const struct selection *selection,
        const struct repeats *samples, const struct row_sink *sink);
