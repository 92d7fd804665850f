#pragma once
/*
 * moment - a point in time as people write it.
 *
 * "2h", "7d": so long before now. "2026-01-31", "2026-01-31T18:00", "2026-01-31T18:00:05.250", each also
 * with a zone ("Z", "+02:00"); without one it is UTC, as everywhere in reports. Pure.
 */
#include <stdbool.h>
#include <stdint.h>

#include "base/check.h"

/* now_ns and *ret_ns: nanoseconds since 1970. False: of no such form, or before 1970. */
bool moment_parse(const char *text, uint64_t now_ns, uint64_t *ret_ns) MUST_CHECK;

#define MOMENT_TEXT_SIZE 24
/* "2026-01-31T18:00:05Z" */
const char *moment_format(uint64_t ns, char text[MOMENT_TEXT_SIZE]);
