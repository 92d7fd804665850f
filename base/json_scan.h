#pragma once
/*
 * json_scan - finds the end of a JSON object or array without reading it. Pure.
 *
 * It tells strings from the rest and counts brackets; both kinds of bracket close each other, and
 * the value need not be valid. Ten times as fast as the reader (base/json.h), for values that are
 * skipped.
 */
#include <stddef.h>

/*
 * at: behind an opening bracket, outside of any string. Returns the place behind the bracket that
 * closes it, or NULL if that is not before end.
 */
const char *json_scan_end(const char *at, const char *end);
/* The same, for processors without AVX2. */
const char *json_scan_end_scalar(const char *at, const char *end);
