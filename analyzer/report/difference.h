#pragma once
/*
 * difference - how far a figure moved between two independent captures, from its two intervals. Pure.
 *
 * The interval of a difference is put together of the two (MOVER: Zou and Donner 2008, "Construction of confidence limits
 * about effect measures"; for rates Newcombe 1998, method 10): those know which answers are alike, and need not be
 * symmetric. p is two-sided and normal on the side towards 0; never below 2^(1 - clusters) of the smaller capture.
 */
#include <stdbool.h>

#include "analyzer/report/metric.h"

struct difference {
	double change;    /* after - before; of ranges: the least that it can be */
	double low, high; /* 95 %; NaN: one of the two has no interval */
	double p;         /* NaN likewise; of ranges: 1 unless they lie apart */
	/* Of ranges: the most; the ends' intervals are low to least_high, and most_low to high. */
	double most, least_high, most_low;
};

struct difference difference_of(
        const struct metric_value *before, const struct metric_value *after);
