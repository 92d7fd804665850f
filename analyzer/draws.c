#include "analyzer/draws.h"

#include <stdlib.h>
#include <string.h>

#include "base/clones.h"
#include "base/mem.h"

#define AT_ONCE 4   /* draws */
#define STRETCH 256 /* rows that stay in the cache while all lanes go through them */

typedef double quad __attribute__((vector_size(4 * sizeof(double)), aligned(8)));

static uint64_t next_random(uint64_t *state)
{
	uint64_t z = *state += 0x9e3779b97f4a7c15u;
	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
	z = (z ^ z >> 27) * 0x94d049bb133111ebu;
	return z ^ z >> 31;
}

/* Of one of AT_ONCE draws. */
static void count(uint16_t *counts, size_t n, uint64_t *random)
{
	for (size_t k = 0; k < n; k++) {
		counts[AT_ONCE * (((next_random(random) >> 32) * n) >> 32)]++;
	}
}

/* One lane of the rows, weighed for each draw; ret: AT_ONCE rows of width. */
CLONED void sum_lane(const double *rows, const double *weights, size_t n, size_t width, double *ret)
{
	quad sums[AT_ONCE][2];
	for (size_t d = 0; d < AT_ONCE; d++) {
		memcpy(sums[d], ret + d * width, sizeof(sums[d]));
	}
	for (size_t k = 0; k < n; k++) {
		quad low, high;
		memcpy(&low, rows + k * width, sizeof(low));
		memcpy(&high, rows + k * width + 4, sizeof(high));
		for (size_t d = 0; d < AT_ONCE; d++) {
			double weight = weights[k * AT_ONCE + d];
			sums[d][0] += low * weight;
			sums[d][1] += high * weight;
		}
	}
	for (size_t d = 0; d < AT_ONCE; d++) {
		memcpy(ret + d * width, sums[d], sizeof(sums[d]));
	}
}

static void sum_stretch(
        const double *rows, const double *weights, size_t n, size_t width, double *ret)
{
	for (size_t lane = 0; lane < width; lane += DRAWS_LANE) {
		sum_lane(rows + lane, weights, n, width, ret + lane);
	}
}

void draws_sum(const double *rows, size_t n, size_t width, uint64_t seed, size_t draws, double *ret)
{
	expect(n <= DRAWS_MOST && width % DRAWS_LANE == 0 && draws % AT_ONCE == 0);
	uint16_t *counts = xcalloc(AT_ONCE * n + 1, sizeof(*counts));
	double weights[STRETCH * AT_ONCE];
	uint64_t random = seed;
	memset(ret, 0, draws * width * sizeof(*ret));
	for (size_t i = 0; i < draws; i += AT_ONCE) {
		memset(counts, 0, AT_ONCE * n * sizeof(*counts));
		for (size_t d = 0; d < AT_ONCE; d++) {
			count(counts + d, n, &random);
		}
		for (size_t from = 0; from < n; from += STRETCH) {
			size_t here = MIN(n - from, (size_t)STRETCH);
			const uint16_t *own = counts + from * AT_ONCE;
			for (size_t k = 0; k < here * AT_ONCE; k++) {
				weights[k] = own[k];
			}
			sum_stretch(rows + from * width, weights, here, width, ret + i * width);
		}
	}
	free(counts);
}
