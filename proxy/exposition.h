#pragma once
/*
 * exposition - appends lines of Prometheus' text format (0.0.4). Names get the prefix plumbline_.
 */
#include <stdint.h>

#include "base/buckets.h"
#include "base/buf.h"

/* The HELP and TYPE lines of a metric; type: "counter", "gauge" or "histogram". */
void exposition_describe(struct buf *to, const char *name, const char *type, const char *help);
/* HELP, TYPE and value of a metric without labels. */
void exposition_value(
        struct buf *to, const char *name, const char *type, const char *help, uint64_t v);
/* The lines of one histogram, in seconds, without HELP and TYPE. label, value: one label; label
 * NULL: none. */
void exposition_histogram(struct buf *to, const char *name, const char *label, const char *value,
        const struct buckets *b);
/* The text as a label's value, escaped, without quotes. */
void exposition_label(struct buf *to, const char *text);
