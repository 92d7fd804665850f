#pragma once
/*
 * document_values - makes JSON of numbers and estimates. NaN and infinity, which JSON lacks, become
 * null. Each json_t * is a new reference.
 */
#include <stdint.h>

#include <jansson.h>

#include "analyzer/fold/figure.h"
#include "analyzer/report/metric.h"
#include "analyzer/report/node.h"
#include "analyzer/stats/name_counts.h"
#include "base/buf.h"
#include "base/histogram.h"

/* The text as a JSON string with a full stop at the end. Frees text. */
json_t *document_full_sentence(char *text);
/* A number of answers, rounded up to two significant digits because it is only an estimate. */
double document_rounded(double n);

#define DOCUMENT_P_SIZE 24

/* Writes "p 0.0012", or "p < 0.0001". Returns text. */
const char *document_p(double p, char text[DOCUMENT_P_SIZE]);
/* quantile q of 0 to 1; null if empty */
json_t *document_quantile(const struct histogram *h, double q);
json_t *document_integer(uint64_t value);                  /* up to INT64_MAX */
json_t *document_name_counts(const struct name_counts *c); /* {name: count} */
json_t *document_interval(struct interval i); /* [low, high]; null unless both are finite */
/* {"n", "count", "rate", "ci95"}; if n is 0, rate and ci95 are null. */
json_t *document_rate(uint64_t hits, uint64_t n, struct interval ci);
/* {"n", "value", "ci95"}; for a range, also "at_least" and "at_most", each {"value", "ci95"}, and
 * "ci95" covers the intervals of both ends. */
json_t *document_figure_value(const struct figure_value *v);
json_t *document_estimate(const struct estimate *e); /* {"value", "ci95"} */
/* {"value", "ci95", "clusters"}, value and ci95 multiplied by scale. */
json_t *document_clustered(const struct estimate *e, double scale);
/* The same with "n". */
json_t *document_counted(const struct estimate *e, double scale, double n);
/* Makes o, the object of an estimate, a range: adds "at_least" and "at_most", and widens "ci95", as
 * document_figure_value() does. */
void document_set_most(json_t *o, const struct estimate *least, const struct estimate *most);
/* Appends a figure as metric_put_value() does. */
void document_put_value(struct buf *to, enum metric_unit unit, const struct figure_value *v);
/* Appends a change as metric_put_change() does: "+2.1 points [+0.5 to +3.7]". */
void document_put_change(struct buf *to, enum metric_unit unit, double value, struct interval ci);
