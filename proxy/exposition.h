#pragma once
/*
 * exposition - Prometheus' text format: names get the prefix plumbline_.
 */
#include <stdint.h>

#include "base/buf.h"

void exposition_describe(struct buf *to, const char *name, const char *type, const char *help);
/* A metric without labels: described, and its value. */
void exposition_value(
        struct buf *to, const char *name, const char *type, const char *help, uint64_t v);
/* A label's value, escaped as the format asks. */
void exposition_label(struct buf *to, const char *text);
