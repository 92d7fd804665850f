#pragma once
/*
 * pages - reads the pages of an LMDB 0.9 data file without trusting a byte of it.
 *
 * LMDB trusts its own pages: one flipped bit in a tree page can crash the process that opens the
 * file. Therefore a segment that may be damaged is examined here first. pages_check() says whether
 * LMDB can open it safely; pages_salvage() gives the rows that can still be read. Neither uses
 * LMDB; both read files of 64-bit little-endian machines, with any page size.
 *
 * Nobody may write to the file meanwhile. One thread an object.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"

struct pages;

/* Returns 0 or -errno. An empty or foreign file also opens: it has no rows. */
int pages_open(const char *path, struct pages **ret) MUST_CHECK;
void pages_close(struct pages *p);           /* NULL is fine */
uint64_t pages_bytes(const struct pages *p); /* of the file */
/* the file has no bytes or no tables: its writer ended before it stored anything */
bool pages_is_empty(const struct pages *p);

/*
 * Checks every tree from the newer meta page: page numbers, flags, node bounds, key order, overflow
 * runs, depths, counts; that no page is used twice and none is free; and that the meta pages belong
 * together, so that an older state is never taken for the last one. Returns 0, or -EBADMSG and the
 * place of the fault; the caller frees it.
 */
int pages_check(struct pages *p, char **ret_why) MUST_CHECK;

/*
 * XXH3-64 (seed 0) of the two meta pages and every branch and leaf page, in the order of
 * docs/format.md ("Seals"). Walks as pages_check() does, but reads no overflow page: runs must lie
 * within the file and not overlap. Returns 0, or -EBADMSG and the place of the fault; the caller
 * frees it.
 */
int pages_hash_trees(struct pages *p, uint64_t *ret, char **ret_why) MUST_CHECK;

/* Where a row was found, which says how far it can be trusted. */
enum pages_place {
	PAGES_TREE, /* reached through a tree */
	/* not reached through a tree, but listed in its page's header; its key and value must show
	 * what it is */
	PAGES_STRAY,
	PAGES_REST, /* not even listed in its page's header: the rest of an older row, or no row */
};

/*
 * One row. table is NULL unless a tree led to it. Key and value are valid until pages_close().
 * Returns 1 if the row is intact, 0 if not; a negative code ends the salvage.
 */
typedef int (*pages_row_fn)(
        void *arg, enum pages_place place, const char *table, struct span key, struct span value);

/*
 * Calls fn for every row whose node is within its page: first for the rows of the trees. If the
 * trees are damaged, it then also reads other pages that look like leaves, and leaves on which fn
 * did not accept every row. Keys and values are unchecked, rows may come more than once, and old
 * versions of a row come after the current one.
 */
int pages_salvage(struct pages *p, pages_row_fn fn, void *arg) MUST_CHECK;
