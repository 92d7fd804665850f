#pragma once
/*
 * multiple_testing - p values adjusted for the number of tests. Pure.
 *
 * Both replace n p values, in their order. NaN is a test that was not made: it stays and does not
 * count.
 */
#include <stddef.h>

/*
 * Rejecting all below alpha has a chance of at most alpha of one false rejection, however the tests
 * depend on each other (Holm 1979).
 */
void multiple_testing_holm(double *p, size_t n);
/* Of all below alpha, a share of at most alpha is false (Benjamini and Hochberg 1995). */
void multiple_testing_false_discovery(double *p, size_t n);
