#pragma once
/*
 * json_scan - where a bracketed value of JSON ends, looked for by the block of bytes. Pure.
 *
 * Strings are told from the rest, and nothing else is: the value need not be valid, brackets of both kinds close each other,
 * and what is between them is not read. For what will be thrown away; the reader (base/json) takes ten times as long.
 */
#include <stddef.h>

/* Behind the bracket that closes the one before `at`, outside of any string; NULL: it is not there. */
const char *json_scan_end(const char *at, const char *end);
/* The same, where the processor has no wide vectors. */
const char *json_scan_end_scalar(const char *at, const char *end);
