#pragma once
/*
 * difference - the change of a figure between two independent captures, from its two intervals.
 * Pure.
 *
 * The interval of the difference is combined from the two intervals (MOVER: Zou and Donner 2008,
 * "Construction of confidence limits about effect measures"; for rates Newcombe 1998, method 10),
 * since they already account for dependent answers and need not be symmetric. p is two-sided, from
 * a normal distribution on the side towards 0; never below 2^(1 - clusters) of the smaller capture.
 */
#include <stdbool.h>

#include "analyzer/report/metric.h"

struct difference {
	double change;    /* after - before; for ranges: its lower end */
	double low, high; /* 95 %; NaN: one of the two has no interval */
	double p;         /* NaN likewise; for ranges: 1 if they overlap */
	/* For ranges: the upper end; intervals of the ends are low to least_high, and most_low to
	 * high. */
	double most, least_high, most_low;
};

struct difference difference_of(
        const struct metric_value *before, const struct metric_value *after);
