#include "analyzer/stats/numbers.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

#define DIGIT_BITS 11
#define BUCKETS (1 << DIGIT_BITS)
#define DIGITS 6
#define FEW 32 /* sorted where they are */

#define SIGN (UINT64_C(1) << 63)

/* Bits whose order as integers is that of the numbers. */
static uint64_t key_of(double value)
{
	uint64_t bits;
	memcpy(&bits, &value, sizeof(bits));
	return bits & SIGN ? ~bits : bits | SIGN;
}

static double value_of(uint64_t key)
{
	uint64_t bits = key & SIGN ? key & ~SIGN : ~key;
	double value;
	memcpy(&value, &bits, sizeof(value));
	return value;
}

static void insert(double *values, size_t n)
{
	for (size_t i = 1; i < n; i++) {
		double value = values[i];
		size_t at = i;
		for (; at > 0 && values[at - 1] > value; at--) {
			values[at] = values[at - 1];
		}
		values[at] = value;
	}
}

static size_t digit_of(uint64_t key, size_t digit)
{
	return key >> digit * DIGIT_BITS & (BUCKETS - 1);
}

/* From the lowest digit to the highest, each time keeping the order of those that are alike. */
static uint64_t *sort_keys(uint64_t *keys, uint64_t *room, size_t n)
{
	for (size_t digit = 0; digit < DIGITS; digit++) {
		uint32_t begins[BUCKETS] = {0}, begin = 0;
		for (size_t i = 0; i < n; i++) {
			begins[digit_of(keys[i], digit)]++;
		}
		if (begins[digit_of(keys[0], digit)] == n) {
			continue; /* all alike */
		}
		for (size_t b = 0; b < BUCKETS; b++) {
			uint32_t count = begins[b];
			begins[b] = begin;
			begin += count;
		}
		for (size_t i = 0; i < n; i++) {
			room[begins[digit_of(keys[i], digit)]++] = keys[i];
		}
		uint64_t *sorted = room;
		room = keys;
		keys = sorted;
	}
	return keys;
}

void numbers_sort(double *values, size_t n)
{
	if (n <= FEW) {
		insert(values, n);
		return;
	}
	expect(n <= UINT32_MAX);
	uint64_t *keys = xmalloc(2 * n * sizeof(*keys));
	for (size_t i = 0; i < n; i++) {
		keys[i] = key_of(values[i]);
	}
	const uint64_t *sorted = sort_keys(keys, keys + n, n);
	for (size_t i = 0; i < n; i++) {
		values[i] = value_of(sorted[i]);
	}
	free(keys);
}
