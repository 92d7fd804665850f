#pragma once
/*
 * difference - the change of a figure between two independent captures, after minus before,
 * computed from its two intervals. Pure.
 *
 * The interval of the change combines the two intervals (MOVER: Zou and Donner 2008, "Construction
 * of confidence limits about effect measures"; for rates Newcombe 1998, method 10). The two
 * intervals already account for dependent answers, and need not be symmetric. p is two-sided, from
 * a normal distribution. Its standard error is the distance from the change to the end of its
 * interval in the direction of 0, divided by 1.96. p is never below 2^(1 - n), where n is the
 * number of clusters of the capture with fewer clusters.
 */
#include "analyzer/report/metric.h"

struct difference {
	/* after - before; n and clusters are 0. A range if a figure is one. low and high are NaN if
	 * before or after has no interval. */
	struct metric_value change;
	/* NaN without an interval. For ranges: 1 if they overlap, else p of the two nearest ends */
	double p;
};

struct difference difference_of(
        const struct metric_value *before, const struct metric_value *after);
