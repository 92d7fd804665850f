#pragma once
/*
 * timestamp - reads times in the forms that result files use. Pure.
 */
#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"

/*
 * Reads RFC 3339 and variants: "2026-04-19T12:00:00.123456Z"; "+02:00" or no zone (UTC); a space
 * for the T; '-' for the colons, as in file names. *ret_ns: nanoseconds since 1970. False: it is no
 * time, or before 1970.
 */
bool timestamp_parse(struct span text, uint64_t *ret_ns) MUST_CHECK;
/* Finds the first time within a text, such as a file's name. */
bool timestamp_find(struct span text, uint64_t *ret_ns) MUST_CHECK;
