#pragma once
/*
 * utf8 - one character at a time.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"

/* Bytes of the character at p < end; 0 when it is none: overlong, a surrogate, beyond U+10FFFF, cut
 * short. */
size_t utf8_length(const char *p, const char *end);
bool utf8_valid(struct span s); /* all of it is such characters, or it is empty */
/* The same, and the code point; *ret is not written where it returns 0. */
size_t utf8_get(const char *p, const char *end, uint32_t *ret);
/* Writes a code point up to U+10FFFF; returns how many bytes. */
size_t utf8_put(uint32_t code, char to[4]);
