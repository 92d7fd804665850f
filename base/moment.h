#pragma once
/*
 * moment - points in time as people write them.
 *
 * "2h" and "7d" mean this long ago. "2026-01-31", "2026-01-31T18:00" and "2026-01-31T18:00:05.250"
 * may end in a zone ("Z", "+02:00"); without one they are UTC, as in all reports. Pure.
 */
#include <stdbool.h>
#include <stdint.h>

#include "base/check.h"

/* now_ns and *ret_ns: nanoseconds since 1970. False: not of this form, or before 1970. */
bool moment_parse(const char *text, uint64_t now_ns, uint64_t *ret_ns) MUST_CHECK;

#define MOMENT_TEXT_SIZE 24
/* "2026-01-31T18:00:05Z" */
const char *moment_format(uint64_t ns, char text[MOMENT_TEXT_SIZE]);
