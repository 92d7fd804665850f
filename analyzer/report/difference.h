#pragma once
/*
 * difference - the change of a figure between two independent captures, computed from its two
 * intervals. Pure.
 *
 * The interval of the change combines the two intervals (MOVER: Zou and Donner 2008, "Construction
 * of confidence limits about effect measures"; for rates Newcombe 1998, method 10). These already
 * account for dependent answers, and need not be symmetric. p is two-sided, from a normal
 * distribution on the side towards 0; it is never below 2^(1 - clusters) of the smaller capture.
 */
#include <stdbool.h>

#include "analyzer/report/metric.h"

struct difference {
	double change;    /* after - before; for ranges: its lower end */
	double low, high; /* 95 %; NaN: before or after has no interval */
	double p;         /* NaN: before or after has no interval; for ranges: 1 if they overlap */
	/* For ranges: most is the upper end. The interval of the lower end is low to least_high,
	 * that of the upper end most_low to high. */
	double most, least_high, most_low;
};

struct difference difference_of(
        const struct metric_value *before, const struct metric_value *after);
