#pragma once
/*
 * fold - sums rows up, group by group. Rows may come in any order.
 */
#include "analyzer/exchange_rows.h"
#include "analyzer/group.h"

struct analysis;

/* exhibits: how many pairs are picked out for a report. texts: NULL where only the row is known; then there are no
 * examples, judges' opinions and cross-talk of it. */
void fold_pair(struct analysis *a, const struct pair_row *row, const struct pair_texts *texts,
        size_t exhibits);
void fold_left_out(struct analysis *a, const struct left_out_row *row);
void fold_floor(struct analysis *a, const struct floor_row *row);
void fold_leg(struct analysis *a, const struct leg_summary *row);
void fold_times(struct analysis *a, const struct times_row *row);
