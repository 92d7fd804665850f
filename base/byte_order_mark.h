#pragma once
/*
 * byte_order_mark - the three bytes with which tools on Windows begin a UTF-8 file; not part of the
 * text.
 */
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#define BYTE_ORDER_MARK "\xef\xbb\xbf"
#define BYTE_ORDER_MARK_SIZE (sizeof(BYTE_ORDER_MARK) - 1)

/* The size of the mark with which a text of len bytes begins: 3 or 0. */
static inline size_t byte_order_mark(const char *begin, size_t len)
{
	bool marked = len >= BYTE_ORDER_MARK_SIZE &&
	              memcmp(begin, BYTE_ORDER_MARK, BYTE_ORDER_MARK_SIZE) == 0;
	return marked ? BYTE_ORDER_MARK_SIZE : 0;
}
