#include "analyzer/tokens/flips.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

#include "analyzer/stats/stats.h"
#include "analyzer/tokens/first.h"

#define OCTAVE 32        /* bins */
#define LEAST_LOG2 (-18) /* of the first bin, nats: what is below goes there */
#define SLICES 64        /* of an octave, of equal width: narrower than any bin */

/* Where the first mantissa of a slice stands: floor(32 log2(1 + i / 64)). */
static const uint8_t FIRST_BINS[SLICES] = {
        0,
        0,
        1,
        2,
        2,
        3,
        4,
        4,
        5,
        6,
        6,
        7,
        7,
        8,
        9,
        9,
        10,
        10,
        11,
        12,
        12,
        13,
        13,
        14,
        14,
        15,
        15,
        16,
        16,
        17,
        17,
        18,
        18,
        19,
        19,
        20,
        20,
        21,
        21,
        21,
        22,
        22,
        23,
        23,
        24,
        24,
        25,
        25,
        25,
        26,
        26,
        27,
        27,
        27,
        28,
        28,
        29,
        29,
        29,
        30,
        30,
        30,
        31,
        31,
};
/* Where bins 1 to 32 begin, less a billionth of a bin, so that what rounding took from a power of two does not
 * put it into the bin before: 2^((k - 1e-9) / 32). */
static const double BEGINS[OCTAVE] = {
        0x1.059b0d314000cp+0,
        0x1.0b5586cf7fb21p+0,
        0x1.11301d010c4abp+0,
        0x1.172b83c7bb1eep+0,
        0x1.1d48731671104p+0,
        0x1.2387a6e73b046p+0,
        0x1.29e9df51e236ep+0,
        0x1.306fe0a2ff1ecp+0,
        0x1.371a73738dab5p+0,
        0x1.3dea64c105ae9p+0,
        0x1.44e08605fa597p+0,
        0x1.4bfdad5343bfap+0,
        0x1.5342b569b5683p+0,
        0x1.5ab07dd46501bp+0,
        0x1.6247eb038462ap+0,
        0x1.6a09e667d20e5p+0,
        0x1.71f75e8ea38c0p+0,
        0x1.7a11473e8cec4p+0,
        0x1.82589994a8efdp+0,
        0x1.8ace54228552ep+0,
        0x1.93737b0cb6d59p+0,
        0x1.9c49182a18adep+0,
        0x1.a5503b23bb23ap+0,
        0x1.ae89f995852cfp+0,
        0x1.b7f76f2f8cf61p+0,
        0x1.c199bdd82b55fp+0,
        0x1.cb720dcece484p+0,
        0x1.d5818dcf8e9a8p+0,
        0x1.dfc973378d132p+0,
        0x1.ea4afa2a1b70ap+0,
        0x1.f50765b6b5b75p+0,
        0x1.ffffffffd05e0p+0,
};

/* Of a positive number. A slice has at most one beginning of a bin in it. */
static int bin_of(double gap)
{
	uint64_t bits;
	double mantissa;
	memcpy(&bits, &gap, sizeof(bits));
	int exponent = (int)(bits >> 52) - 1023;
	int bin = FIRST_BINS[bits >> 46 & (SLICES - 1)];
	bits = (bits & (UINT64_MAX >> 12)) | UINT64_C(1023) << 52;
	memcpy(&mantissa, &bits, sizeof(mantissa));
	bin += mantissa >= BEGINS[bin];
	bin += (exponent - LEAST_LOG2) * OCTAVE;
	return bin < 0 ? 0 : bin >= FLIPS_BINS ? FLIPS_BINS - 1 : bin;
}

void flips_add(struct flips *f, double gap)
{
	flips_add_all(f, &gap, 1);
}

void flips_add_all(struct flips *f, const double *gaps, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		double gap = gaps[i];
		if (gap > 0) {
			f->positions++;
			f->bins[bin_of(gap)]++;
		} else if (gap <= 0) { /* and no NaN */
			f->positions++;
			f->ties++;
		}
	}
}

void flips_merge(struct flips *f, const struct flips *other)
{
	f->positions += other->positions;
	f->ties += other->ties;
	for (int i = 0; i < FLIPS_BINS; i++) {
		f->bins[i] += other->bins[i];
	}
}

double flips_expected(const struct flips *f, double sigma)
{
	if (f->positions == 0 || isnan(sigma)) {
		return NAN;
	}
	double sum = (double)f->ties * first_flip_chance(0, sigma);
	for (int i = 0; i < FLIPS_BINS; i++) {
		if (f->bins[i] > 0) {
			double middle = ldexp(1, LEAST_LOG2) * exp2((i + 0.5) / OCTAVE);
			sum += (double)f->bins[i] * first_flip_chance(middle, sigma);
		}
	}
	return sum;
}

enum flips_verdict flips_judge(double expected, uint64_t observed)
{
	double most = 2 * expected;
	if ((double)observed <= most) {
		return FLIPS_NOISE;
	}
	return stats_poisson(observed).low > most ? FLIPS_MORE : FLIPS_TOO_FEW;
}
