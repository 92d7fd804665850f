#pragma once
/*
 * tab - what one piece of work has taken of a budget, given back as a whole when it ends.
 *
 * For work whose memory depends on what a peer's bytes say: room is taken before it is allocated, that of the
 * old place and the new one together while something moves. One thread.
 */
#include <stdbool.h>
#include <stddef.h>

#include "base/budget.h"
#include "base/buf.h"

struct tab {
	struct budget *budget; /* NULL: nothing is counted, and nothing refused */
	size_t taken;
};

bool tab_take(struct tab *t, size_t n) MUST_CHECK;
void tab_give(struct tab *t, size_t n);
void tab_close(struct tab *t); /* once what was taken for is freed */

/* The list with about twice the room, of *cap items of size bytes now; NULL: there is none left, and the list
 * stays as it is. */
void *tab_grow(struct tab *t, void *items, size_t *cap, size_t size) MUST_CHECK;
/* Room for extra bytes at the end; what was reserved of a buffer stays on the tab, emptied or not. */
bool tab_reserve(struct tab *t, struct buf *b, size_t extra) MUST_CHECK;
