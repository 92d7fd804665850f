#pragma once
/*
 * multiple_testing - p values adjusted for the number of tests. Pure.
 *
 * Both functions replace n p values in place and keep their order. NaN stands for a test that was
 * not made: it stays NaN and is not counted.
 */
#include <stddef.h>

/*
 * If all hypotheses with an adjusted value below alpha are rejected, the chance of even one false
 * rejection is at most alpha, however the tests depend on each other (Holm 1979).
 */
void multiple_testing_holm(double *p, size_t n);
/* If all hypotheses with an adjusted value below alpha are rejected, the expected share of false
 * rejections among them is at most alpha (Benjamini and Hochberg 1995). */
void multiple_testing_false_discovery(double *p, size_t n);
