#pragma once
/*
 * exposition - Prometheus' text format: names get the prefix plumbline_.
 */
#include <stdint.h>

#include "base/buckets.h"
#include "base/buf.h"

void exposition_describe(struct buf *to, const char *name, const char *type, const char *help);
/* A metric without labels: described, and its value. */
void exposition_value(
        struct buf *to, const char *name, const char *type, const char *help, uint64_t v);
/* The lines of one histogram, described before; label NULL: without. In seconds. */
void exposition_histogram(struct buf *to, const char *name, const char *label, const char *value,
        const struct buckets *b);
/* A label's value, escaped as the format asks. */
void exposition_label(struct buf *to, const char *text);
