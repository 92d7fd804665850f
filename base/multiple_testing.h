#pragma once
/*
 * multiple_testing - p values adjusted for the number of tests. Pure.
 */
#include <stddef.h>

/*
 * Replaces n p values in place and keeps their order. NaN stands for a test that was not made: it
 * stays NaN and is not counted. If all hypotheses with an adjusted value below alpha are rejected,
 * the chance of even one false rejection is at most alpha, however the tests depend on each other
 * (Holm 1979).
 */
void multiple_testing_holm(double *p, size_t n);
