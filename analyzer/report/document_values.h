#pragma once
/*
 * document_values - numbers and estimates as JSON. JSON has no NaN and no infinity; they become
 * null.
 */
#include <stdint.h>

#include <jansson.h>

#include "analyzer/fold/figure.h"
#include "analyzer/report/node.h"
#include "analyzer/stats/name_counts.h"
#include "base/buf.h"
#include "base/histogram.h"

/* Adds a full stop if the text has none. Takes ownership of text. */
json_t *document_full_sentence(char *text);
/* A number of answers, rounded up to two significant digits: it is not known more exactly. */
double document_rounded(double n);
json_t *report_quantile(const struct histogram *h, double q); /* null if empty */
json_t *report_integer(uint64_t value);                       /* up to INT64_MAX */
json_t *report_name_counts(const struct name_counts *c);      /* {name: count} */
json_t *report_interval(struct interval i); /* [low, high]; null unless both are known */
/* {"n", "count", "rate", "ci95"}; null if n is 0. */
json_t *report_rate(uint64_t hits, uint64_t n, struct interval ci);
/* {"n", "value", "ci95"}; for a range, both ends. */
json_t *report_figure_value(const struct figure_value *v);
json_t *report_estimate(const struct estimate *e); /* {"value", "ci95"} */
/* {"value", "ci95", "clusters"}; scale: factor of the value. */
json_t *report_clustered(const struct estimate *e, double scale);
/*
 * For a figure that is a range: sets "at_least" and "at_most", {"value", "ci95"} each, and "ci95"
 * from the lower end of the first to the upper end of the second.
 */
void report_set_range(
        json_t *o, double least, struct interval least_ci, double most, struct interval most_ci);
/* "3.1 %", with an interval "3.1 % [1.0-5.2]"; for a range "0.0 to 66.7 % [0.0-80.1]". */
void report_put_share(struct buf *to, const struct figure_value *v);
