#pragma once
/*
 * document_values - numbers, and what is estimated of them, as a report for machines says them: JSON
 * has no word for NaN and infinity, which are null.
 */
#include <stdint.h>

#include <jansson.h>

#include "analyzer/fold/figure.h"
#include "analyzer/report/node.h"
#include "analyzer/stats/name_counts.h"
#include "base/buf.h"
#include "base/histogram.h"

/* The text with a full stop, unless it has one. Takes over text. */
json_t *document_full_sentence(char *text);
/* A number of answers to two digits, upwards: more are not known. */
double document_rounded(double n);
json_t *report_quantile(const struct histogram *h, double q); /* null when empty */
json_t *report_integer(uint64_t value);                       /* up to INT64_MAX */
json_t *report_name_counts(const struct name_counts *c);      /* {name: how often} */
json_t *report_interval(struct interval i); /* [low, high]; null unless both are known */
/* {"n", "count", "rate", "ci95"}; null without any. */
json_t *report_rate(uint64_t hits, uint64_t n, struct interval ci);
/* {"n", "value", "ci95"}, with both ends of a range. */
json_t *report_figure_value(const struct figure_value *v);
json_t *report_estimate(const struct estimate *e); /* {"value", "ci95"} */
/* {"value", "ci95", "clusters"}; scale: of the value. */
json_t *report_clustered(const struct estimate *e, double scale);
/*
 * Of a figure that is known within limits only: sets "at_least" and "at_most", {"value", "ci95"}
 * each, and "ci95" from the lower end of the one to the upper end of the other.
 */
void report_set_range(
        json_t *o, double least, struct interval least_ci, double most, struct interval most_ci);
/* "3.1 %", with its interval, "3.1 % [1.0-5.2]"; of a range "0.0 to 66.7 % [0.0-80.1]". */
void report_put_share(struct buf *to, const struct figure_value *v);
