#pragma once
/*
 * claim - the bytes that one piece of work has reserved in a budget. claim_close() releases all of
 * them.
 *
 * For work whose memory depends on what a peer's bytes contain. Such work reserves, then allocates.
 * While a list or a buffer moves, both the old and the new memory count. One thread.
 */
#include <stdbool.h>
#include <stddef.h>

#include "base/budget.h"
#include "base/buf.h"

struct claim {
	struct budget *budget; /* NULL: nothing is limited */
	size_t taken;          /* bytes */
};

/* Reserves n bytes more. False: the budget has no room, and nothing changed. */
bool claim_take(struct claim *c, size_t n) MUST_CHECK;
void claim_give(struct claim *c, size_t n); /* releases n bytes */
void claim_close(struct claim *c);          /* call it after the memory is freed */

/* For both functions below: the claim must already count the capacity of the list or buffer; if
 * they return true, it counts the new capacity. False: the budget has no room; nothing changed. */

/* Makes room for one more item of size bytes in a list that has n of *cap items. list: the address
 * of the pointer to the items. */
bool claim_item(struct claim *c, void *list, size_t n, size_t *cap, size_t size) MUST_CHECK;
/* Makes room for extra bytes at the end of *b. */
bool claim_reserve(struct claim *c, struct buf *b, size_t extra) MUST_CHECK;
