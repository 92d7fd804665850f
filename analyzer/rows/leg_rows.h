#pragma once
/*
 * leg_rows - what one leg shows by itself, and when its tokens came. One thread.
 *
 * No row of the capture has these times, so the bodies of a sample of the legs are read, with the
 * moments at which their bytes came. A leg is in the sample by its hash, and how many are depends
 * on the number of exchanges.
 */
#include "analyzer/rows/row_sink.h"

#define LEG_TIMES_EXCHANGES 2048 /* of a capture with more, about as many have their legs timed */

/* Texts of the summary are the leg's. False: it was asked for no answer, but for a score, a grade
 * or a judge's opinion. */
bool leg_row_summary(const struct capture_exchange *e, size_t leg, struct leg_summary *ret);

/* Is the leg in the sample of a capture with so many exchanges? */
bool leg_times_wanted(const struct leg_summary *leg, uint64_t exchanges);
/* The row of one leg of e. */
void leg_times_row(struct capture *c, const struct capture_exchange *e, size_t leg,
        const struct row_sink *sink);

/* times_row.gaps has 16 bins to each power of two; below 32 us one for each value. Longest: 134
 * s. */
size_t times_gap_bin(uint64_t us);
uint64_t times_gap_us(size_t bin); /* the middle of the bin */
