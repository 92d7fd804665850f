#pragma once
/*
 * exposition - appends lines of Prometheus' text format (0.0.4). Names get the prefix plumbline_.
 */
#include <stdint.h>

#include "base/buckets.h"
#include "base/buf.h"

/* The HELP and TYPE lines of a metric; type: "counter", "gauge" or "histogram". */
void exposition_describe(struct buf *to, const char *name, const char *type, const char *help);
/* A line with the value v. After v: name and value of each label, and NULL at the end. A label
 * whose value is NULL is left out. */
void exposition_sample(struct buf *to, const char *name, uint64_t v, ...) __attribute__((sentinel));
/* HELP, TYPE and value of a metric without labels. */
void exposition_value(
        struct buf *to, const char *name, const char *type, const char *help, uint64_t v);
/* The lines of one histogram, in seconds, without HELP and TYPE. label, value: one label; label
 * NULL: none. */
void exposition_histogram(struct buf *to, const char *name, const char *label, const char *value,
        const struct buckets *b);
