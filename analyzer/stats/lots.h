#pragma once
/*
 * lots - how often each of n rows comes when n of them are drawn, with replacement and each as likely. Pure; the
 * same dice give the same counts on every machine.
 *
 * Counts that are Poisson variates by themselves are those of n draws if they happen to sum up to n, and stay
 * multinomial when draws are added, or some of those that were made taken back, by lot. So each row has a count
 * of its own first, many side by side, and then some sqrt(n) draws are put right. Nothing of it is approximate.
 */
#include <stddef.h>
#include <stdint.h>

#include "base/dice.h"

#define LOTS_MOST 32767 /* rows: a count holds as many */

/* As many counts are written, a multiple of 16; those of no row are 0. */
#define LOTS_ROOM(n) (((n) + 15) & ~(size_t)15)

/* n: from 1 to LOTS_MOST. ret_counts: LOTS_ROOM(n). */
void lots_draw(struct dice *dice, size_t n, int16_t *ret_counts);
