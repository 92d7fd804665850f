#pragma once
/*
 * moment - points in time as people write them.
 *
 * "2h" and "7d" mean so long before now. "2026-01-31", "2026-01-31T18:00" and
 * "2026-01-31T18:00:05.250" may end in a zone ("Z", "+02:00"); without a zone they are UTC, as in
 * all reports. Pure.
 */
#include <stdbool.h>
#include <stdint.h>

#include "base/check.h"

/* now_ns and *ret_ns: nanoseconds since 1970. False: the text has another form, or means a time
 * before 1970. */
bool moment_parse(const char *text, uint64_t now_ns, uint64_t *ret_ns) MUST_CHECK;

#define MOMENT_TEXT_SIZE 24
/* Writes ns since 1970 as "2026-01-31T18:00:05Z" and returns text. */
const char *moment_format(uint64_t ns, char text[MOMENT_TEXT_SIZE]);
