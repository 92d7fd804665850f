#pragma once
/*
 * repeat_floor - noise floors out of repeated prompts, where a capture has no second legs.
 *
 * The exchanges of such prompts are read once more, each with the answers that the same backend
 * gave to the same request elsewhere, as if these were second legs. A group that has no floor of
 * its own, or one only, is then judged on these exchanges alone, pairs and floors: prompts that
 * come often may be easier than others, so that a floor of theirs must not be compared with the
 * difference of all.
 */
#include "analyzer/rows/exchange_rows.h"
#include "analyzer/rows/repeats.h"
#include "analyzer/rows/selection.h"

/* Gives floor_rows. repeats: settled; selection: by which they were chosen. One thread. */
void repeat_floor_rows(struct row_maker *m, const struct selection *selection,
        const struct repeats *repeats, const struct row_sink *sink, struct repeat_counts *ret);
