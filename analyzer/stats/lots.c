#include "analyzer/stats/lots.h"

#include <endian.h>
#include <math.h>
#include <string.h>

#include "base/check.h"
#include "base/clones.h"

#define STRETCH ((size_t)256) /* rows dealt at a time */
#define MOST_OF_ANY 40        /* a Poisson variate of mean 1 is higher by a chance of 10^-50 */

/*
 * Of 65,536 equal chances each count has as many as it has a right to, rounded down: DEALT of them in all. The few
 * others are the rest, of which each count has what the rounding took from it.
 */
enum { N_DEALT = 8, DEALT = 65531, CHANCES = 65536 };
static const int chances[N_DEALT] = {24109, 24109, 12054, 4018, 1004, 200, 33, 4};

static int16_t deal_rest(struct dice *dice)
{
	double at = dice_share(dice) * (CHANCES - DEALT), right = CHANCES * exp(-1);
	int16_t count = 0;
	for (;;) {
		double rest = right - (count < N_DEALT ? chances[count] : 0);
		if (at < rest || count == MOST_OF_ANY) {
			return count;
		}
		at -= rest;
		right /= ++count;
	}
}

/* The chance's number, signed, tells the count: how many bounds it reaches. N_DEALT: one of the rest. */
#define REACHES(at, bound) ((at) >= (bound)-CHANCES / 2)

/* n: a multiple of 16. numbers: little-endian. Returns how many are of the rest. */
CLONED unsigned deal(const uint16_t *numbers, size_t n, int16_t *ret_counts)
{
	unsigned rest = 0;
	for (size_t k = 0; k < (n & ~(size_t)15); k++) {
		int16_t at = (int16_t)le16toh(numbers[k]);
		int16_t count = REACHES(at, 24109);
		count = (int16_t)(count + REACHES(at, 48218));
		count = (int16_t)(count + REACHES(at, 60272));
		count = (int16_t)(count + REACHES(at, 64290));
		count = (int16_t)(count + REACHES(at, 65294));
		count = (int16_t)(count + REACHES(at, 65494));
		count = (int16_t)(count + REACHES(at, 65527));
		count = (int16_t)(count + REACHES(at, DEALT));
		ret_counts[k] = count;
	}
	for (size_t k = 0; k < (n & ~(size_t)15); k++) {
		rest += ret_counts[k] == N_DEALT;
	}
	return rest;
}

/* The dice's next numbers, side by side. */
CLONED void throw_all(uint64_t state, size_t n, uint64_t *ret)
{
	for (size_t k = 0; k < n; k++) {
		ret[k] = htole64(dice_mix(state + (k + 1) * DICE_STEP));
	}
}

static void deal_stretch(struct dice *dice, size_t n, int16_t *ret_counts)
{
	uint64_t fours[STRETCH / 4];
	uint16_t numbers[STRETCH];
	throw_all(dice->state, n / 4, fours);
	dice->state += n / 4 * DICE_STEP;
	memcpy(numbers, fours, n * sizeof(*numbers));
	unsigned rest = deal(numbers, n, ret_counts);
	for (size_t k = 0; rest > 0; k++) {
		if (ret_counts[k] == N_DEALT) {
			ret_counts[k] = deal_rest(dice);
			rest--;
		}
	}
}

struct tally_of {
	size_t sum;
	int16_t most;
};

CLONED struct tally_of add_up(const int16_t *counts, size_t n)
{
	int32_t sum = 0;
	int16_t most = 0;
	for (size_t k = 0; k < (n & ~(size_t)15); k++) {
		sum += counts[k];
		most = counts[k] > most ? counts[k] : most;
	}
	return (struct tally_of){(size_t)sum, most};
}

/* By lot among all draws that were made: a row by how many it has. */
static void take_back(struct dice *dice, size_t n, int16_t most, int16_t *counts)
{
	for (;;) {
		uint64_t number = dice_throw(dice);
		size_t row = (size_t)((number >> 32) * n >> 32);
		if ((int16_t)((number & UINT32_MAX) * (uint64_t)most >> 32) < counts[row]) {
			counts[row]--;
			return;
		}
	}
}

void lots_draw(struct dice *dice, size_t n, int16_t *ret_counts)
{
	expect(n > 0 && n <= LOTS_MOST);
	size_t room = LOTS_ROOM(n);
	for (size_t from = 0; from < room; from += STRETCH) {
		deal_stretch(dice, MIN(room - from, STRETCH), ret_counts + from);
	}
	memset(ret_counts + n, 0, (room - n) * sizeof(*ret_counts));
	struct tally_of made = add_up(ret_counts, room);
	for (; made.sum < n; made.sum++) {
		ret_counts[dice_below(dice, n)]++;
	}
	for (; made.sum > n; made.sum--) {
		take_back(dice, n, made.most, ret_counts);
	}
}
