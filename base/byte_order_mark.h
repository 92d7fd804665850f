#pragma once
/*
 * byte_order_mark - the three bytes with which tools on Windows begin a file of UTF-8; they are no part of what it says.
 */
#include <stddef.h>
#include <string.h>

/* How many of a file's first bytes are the mark: 3 or 0. */
static inline size_t byte_order_mark(const char *begin, size_t len)
{
	return len >= 3 && memcmp(begin, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
}
