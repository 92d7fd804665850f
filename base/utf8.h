#pragma once
/*
 * utf8 - reads and writes UTF-8, one character at a time. Pure.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"

/* The number of bytes of the character at p, which is before end. 0: it is not valid: overlong,
 * a surrogate, beyond U+10FFFF, or cut short. */
size_t utf8_length(const char *p, const char *end);
bool utf8_valid(struct span s); /* true if all of it is valid, or it is empty */
/* As utf8_length(), and writes the code point to *ret unless it returns 0. */
size_t utf8_get(const char *p, const char *end, uint32_t *ret);
/* The beginning of s, at most n bytes, without a part of a character at its end. */
struct span utf8_cut(struct span s, size_t n);
/* Writes a code point up to U+10FFFF. Returns the number of bytes. */
size_t utf8_put(uint32_t code, char to[4]);
/* True if the code point can be shown on a terminal. False for control characters (below U+0020,
 * U+007F to U+009F); separators of lines and paragraphs (U+2028, U+2029); what changes the
 * direction of writing (U+061C, U+200E, U+200F, U+202A to U+202E, U+2066 to U+2069); and the last
 * two code points of each plane (such as U+FFFE), which are no characters. */
bool utf8_is_shown(uint32_t code);
