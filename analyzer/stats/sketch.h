#pragma once
/*
 * sketch - estimates the number of different keys, in 4 KiB of memory for any number.
 *
 * HyperLogLog (Flajolet, Fusy, Gandouet and Meunier 2007): the standard error is 1.6 % for numbers
 * above 10,000. Smaller numbers are overestimated: an empty sketch gives about 2,950. A key may be
 * added any number of times; sketches may be merged in any order. One thread.
 */
#include <stdint.h>

#define SKETCH_PARTS 4096 /* a power of two */

struct sketch { /* zero-initialised: empty */
	uint8_t ranks[SKETCH_PARTS];
};

void sketch_add(struct sketch *s, uint64_t key); /* key may be any number; it is hashed */
void sketch_merge(struct sketch *s, const struct sketch *other);
double sketch_number(const struct sketch *s);
