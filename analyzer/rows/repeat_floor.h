#pragma once
/*
 * repeat_floor - measures noise floors from repeated prompts, for captures without second legs.
 *
 * It reads the exchanges of such prompts again. To each exchange it adds the answers that the same
 * backend gave to the same request in other exchanges, as if these were second legs. If a group
 * lacks a floor of one side or of both, its floors and the difference of its sides come from these
 * exchanges alone: frequent prompts may be easier than others, so their floor must not be compared
 * with the difference over all prompts.
 */
#include "analyzer/rows/exchange_rows.h"
#include "analyzer/rows/repeats.h"
#include "analyzer/rows/selection.h"

/* Gives a floor_row to sink for each pair. Call after repeats_settle(). selection: the one with
 * which the repeats were found. Adds counts to *ret. One thread. */
void repeat_floor_rows(struct row_maker *m, const struct selection *selection,
        const struct repeats *repeats, const struct row_sink *sink, struct repeat_counts *ret);
