#pragma once
/*
 * leg_rows - makes the rows of one leg: what it shows by itself, and when its tokens arrived. One
 * thread.
 *
 * The capture stores no times of tokens. Therefore leg_times_row() reads the bodies of a sample of
 * legs again, with the times at which their bytes arrived. A hash of a leg's id decides whether it
 * is in the sample.
 */
#include "analyzer/rows/row_sink.h"

/* If a capture has more exchanges than this, the sample has only a share of the legs: this number
 * divided by the number of exchanges. */
#define LEG_TIMES_EXCHANGES 2048

/* Sets *ret; its texts point into e. leg: index in e->legs. False: the leg holds no answer, but a
 * score, a grade or a judge's reply; *ret is unchanged. */
bool leg_row_summary(const struct capture_exchange *e, size_t leg, struct leg_summary *ret);

/* True if the leg is complete, and in the sample of a capture with this many exchanges. */
bool leg_times_wanted(const struct leg_summary *leg, uint64_t exchanges);
/* Gives the times_row of one leg of e to sink. Reads the leg's body from the capture. */
void leg_times_row(struct capture *c, const struct capture_exchange *e, size_t leg,
        const struct row_sink *sink);

/* The bins of times_row.gaps: 16 for each power of two, and one for each value below 32 us. The
 * last bin also counts everything above 134 s. */
size_t times_gap_bin(uint64_t us);
uint64_t times_gap_us(size_t bin); /* the middle of the bin */
