#pragma once
/*
 * numbers - sorting numbers, without a call for each comparison: by the digits of their bits. Pure.
 */
#include <stddef.h>

/* Rising; none may be a NaN. Memory for as many again is taken meanwhile. */
void numbers_sort(double *values, size_t n);
