#pragma once
/*
 * logs - exponentials and natural logarithms of many numbers at once. Pure.
 *
 * The library's functions take one number a call and are exact to half a unit in the last place; these
 * take several a step, without a table and without a branch, and are exact to one and a half. Every
 * processor gives the same bits: nothing here is contracted or reordered.
 */
#include <stddef.h>

/* e to the x; of a NaN a NaN, of what is below the least double 0. x: at most 700. ret must not be x. */
void logs_exp(const double *restrict x, double *restrict ret, size_t n);
/* Of positive numbers, denormals apart; of others any number, or none. ret must not be x. */
void logs_log(const double *restrict x, double *restrict ret, size_t n);
