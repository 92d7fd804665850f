#pragma once
/*
 * pages - reads the pages of an LMDB 0.9 data file without trusting any byte of it.
 *
 * LMDB trusts its own pages: one flipped bit in a tree page can crash the process that opens the
 * file. So this module examines a segment that may be damaged, without LMDB. pages_check() says
 * whether LMDB can open it safely; pages_salvage() gives the rows that can still be read. Both read
 * files of 64-bit little-endian machines, with any page size.
 *
 * Nobody may write to the file meanwhile. One thread an object.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"

struct pages;

/* Returns 0 or a negative errno. An empty file, or one that is not LMDB's, also opens: it has no
 * rows. */
int pages_open(const char *path, struct pages **ret) MUST_CHECK;
void pages_close(struct pages *p);           /* NULL is fine */
uint64_t pages_bytes(const struct pages *p); /* bytes of the file */
/* true if the file has no bytes or no tables: its writer ended before it stored anything */
bool pages_is_empty(const struct pages *p);

/*
 * Checks every tree from the newer meta page: page numbers, flags, node bounds, key order, overflow
 * runs, depths and counts. Checks that no page is used twice or is both used and free, and that the
 * meta pages belong together, so that an older state is never taken for the last one. Returns 0; or
 * -EBADMSG, and in *ret_why what is wrong and where.
 */
int pages_check(struct pages *p, char **ret_why) MUST_CHECK;

/*
 * Hashes the two meta pages and every branch and leaf page, in the order of docs/format.md
 * ("Seals"): XXH3-64 with seed 0. Checks as pages_check() does, but reads no overflow page: runs
 * must lie within the file and not overlap. Returns as pages_check().
 */
int pages_hash_trees(struct pages *p, uint64_t *ret, char **ret_why) MUST_CHECK;

/* Where a row was found, and so how far it can be trusted. */
enum pages_place {
	PAGES_TREE, /* reached through a tree */
	/* no tree leads to it, but its page's header lists it; only its key and value show what
	 * it is */
	PAGES_STRAY,
	PAGES_REST, /* not even its page's header lists it: the rest of an older row, or no row */
};

/*
 * Gets one row. table is NULL unless a tree led to the row. Key and value are valid until
 * pages_close(). It must return 1 if the row is intact, 0 if not; a negative code ends the salvage.
 */
typedef int (*pages_row_fn)(
        void *arg, enum pages_place place, const char *table, struct span key, struct span value);

/*
 * Calls fn for every row whose node is within its page, first for the rows of the trees. If the
 * trees are damaged, it then reads all other pages as if they were leaves, and once more the leaves
 * on which fn did not accept every row. Keys and values are unchecked. A row may come more than
 * once; old versions of a row come after the current one. Returns 0, or the negative code of fn.
 */
int pages_salvage(struct pages *p, pages_row_fn fn, void *arg) MUST_CHECK;
