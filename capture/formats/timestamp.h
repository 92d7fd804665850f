#pragma once
/*
 * timestamp - times as result files write them.
 */
#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"

/*
 * RFC 3339 and its relatives: "2026-04-19T12:00:00.123456Z", "+02:00" or no zone (taken as UTC), a space for
 * the T, '-' for the colons (file names). Nanoseconds since 1970. False: it is none, or before 1970.
 */
bool timestamp_parse(struct span text, uint64_t *ret_ns) MUST_CHECK;
/* The first one within a text: a file's name. */
bool timestamp_find(struct span text, uint64_t *ret_ns) MUST_CHECK;
