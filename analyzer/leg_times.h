#pragma once
/*
 * leg_times - when the tokens of legs came. No row of the capture has these times, so a sample of the legs is
 * read once more: their bodies with the moments at which the bytes came.
 *
 * A leg is in the sample by its hash, and how many are depends on the number of exchanges: a share of
 * LEG_TIMES_SAMPLE / exchanges. One thread.
 */
#include "analyzer/exchange_rows.h"

#define LEG_TIMES_SAMPLE 2048

struct timed_legs {         /* zero-initialised is empty */
	uint64_t exchanges; /* so far; the caller counts them */
	struct timed_leg {
		uint64_t hash;
		struct id exchange, leg;
	} * items; /* those of the sample, and some that it does not need any more */
	size_t n, room;
};

void timed_legs_add(struct timed_legs *t, const struct leg_summary *leg);
void timed_legs_merge(struct timed_legs *t, const struct timed_legs *other);
/* After the last exchange: reads the legs, and makes their rows. */
void timed_legs_rows(struct timed_legs *t, struct capture *c, const struct row_sink *sink);
void timed_legs_finish(struct timed_legs *t);

/* times_row.gaps has 16 bins to each power of two; below 32 us one for each value. Longest: 134 s. */
size_t times_gap_bin(uint64_t us);
uint64_t times_gap_us(size_t bin); /* the middle of the bin */
