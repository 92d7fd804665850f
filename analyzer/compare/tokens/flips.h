#pragma once
/*
 * flips - how many answers should have parted if nothing but noise were at work, against how many
 * did.
 *
 * A position whose two best tokens are a gap apart flips with the chance P(Z < -gap / sigma), sigma
 * being the noise of the pair of backends. The gaps are kept in bins, 2 % wide, because sigma is
 * known only at the end. Whole numbers: the order of adding is of no account.
 */
#include <stddef.h>
#include <stdint.h>

#define FLIPS_BINS 768

struct flips { /* zero-initialised is empty */
	uint64_t positions;
	uint64_t ties; /* gaps of nothing */
	uint64_t bins[FLIPS_BINS];
};

void flips_add(struct flips *f, double gap); /* NaN is passed over */
void flips_merge(struct flips *f, const struct flips *other);
/* The sum of the chances; NaN when sigma is, or without positions. */
double flips_expected(const struct flips *f, double sigma);

/* Whether so many explain those observed. The expectation is good to a factor of 2: neighbours' noise goes together. */
enum flips_verdict {
	FLIPS_NOISE,   /* observed is at most twice as many */
	FLIPS_TOO_FEW, /* more, but a count's 95 % interval still holds twice as many */
	FLIPS_MORE,
};

enum flips_verdict flips_judge(double expected, uint64_t observed);
