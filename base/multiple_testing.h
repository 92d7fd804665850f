#pragma once
/*
 * multiple_testing - what keeps many tests honest. Pure.
 *
 * Puts adjusted p values in place of n p values, in their order. NaN: no test was made; it stays and does not count.
 */
#include <stddef.h>

/* Below alpha they hold together, with at most alpha of a chance for a single false one, however they depend (Holm). */
void multiple_testing_holm(double *p, size_t n);
/* Below alpha at most that share of those found is false (Benjamini and Hochberg). */
void multiple_testing_false_discovery(double *p, size_t n);
