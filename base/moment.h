#pragma once
/*
 * moment - points in time as people and programs write them.
 *
 * A date is "2026-01-31", "2026-01-31T18:00" or "2026-01-31T18:00:05.250", with a T or a space, and
 * may end in a zone ("Z", "+02:00"). Without a zone it is UTC, as in all reports. Times are
 * nanoseconds since 1970. Functions return false for a text of another form and for a time before
 * 1970. Pure.
 */
#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"

/* Reads a date, or a duration before now, such as "2h" or "7d". */
bool moment_parse(const char *text, uint64_t now_ns, uint64_t *ret_ns) MUST_CHECK;
/* Reads the date at the beginning of a text that a program wrote. It must have seconds, and may
 * have hyphens in place of colons, as in names of files. */
bool moment_begins(struct span text, uint64_t *ret_ns) MUST_CHECK;
/* Finds the first such date anywhere in a text, such as a file's name. */
bool moment_find(struct span text, uint64_t *ret_ns) MUST_CHECK;

#define MOMENT_TEXT_SIZE 24
/* Writes ns since 1970 as "2026-01-31T18:00:05Z" and returns text. */
const char *moment_format(uint64_t ns, char text[MOMENT_TEXT_SIZE]);
/* Appends ns since 1970 with milliseconds: "2026-01-31T18:00:05.250Z". */
void moment_put(struct buf *to, uint64_t ns);
