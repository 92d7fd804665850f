#pragma once
/*
 * pages - the pages of an LMDB 0.9 data file, read without trusting a byte of it.
 *
 * LMDB trusts its own pages: one flipped bit in a tree page can crash the process that opens the
 * file. So a segment that may be damaged is looked at here first. pages_check() says whether LMDB
 * may safely open it; pages_salvage() gives whatever rows can still be had. Neither uses LMDB; both
 * read files of 64-bit little-endian machines, with any page size.
 *
 * Nobody may write to the file meanwhile. One thread an object.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"

struct pages;

/* 0, or -errno of opening and mapping. An empty or foreign file opens too: it holds nothing. */
int pages_open(const char *path, struct pages **ret) MUST_CHECK;
void pages_close(struct pages *p);           /* NULL is fine */
uint64_t pages_bytes(const struct pages *p); /* of the file */
bool pages_is_empty(const struct pages *p); /* no byte or no table in it: its writer died at once */

/*
 * Walks every tree from the newer meta page: page numbers, flags, node bounds, key order, overflow
 * runs, depths, counts; no page twice, none that is free; and that the
 * meta pages belong together, so that an older state is never taken for the last one. 0, or
 * -EBADMSG and where it is wrong (the caller frees it).
 */
int pages_check(struct pages *p, char **ret_why) MUST_CHECK;

/*
 * XXH3-64 (seed 0) of the two meta pages and every branch and leaf page, in the order in which the walk comes to them: the
 * tree of free pages, then the main one; a page before those that it leads to, these in the order of its nodes; a table's tree where the
 * main tree's leaf names it. The walk is that of pages_check(), but that no overflow page is read: runs must lie within the
 * file, none twice. 0, or -EBADMSG and where it is wrong (the caller frees it).
 */
int pages_hash_trees(struct pages *p, uint64_t *ret, char **ret_why) MUST_CHECK;

/* Where a row was found, which tells how far it may be believed. */
enum pages_place {
	PAGES_TREE, /* a tree led to it */
	PAGES_STRAY, /* no tree did, but its page's header tells of it: what it is must be told from its key and value */
	PAGES_REST, /* nor does its page's header: what is left of an older row, or no row at all */
};

/*
 * One row. table is NULL where no tree led to it. Key and value are valid until pages_close(). 1: it is whole; 0: it is
 * not; less than 0 ends the salvage with that code.
 */
typedef int (*pages_row_fn)(
        void *arg, enum pages_place place, const char *table, struct span key, struct span value);

/*
 * Gives every row whose node lies within its page, first those that the trees lead to, then (if the
 * trees are damaged) those on any other page that reads as a leaf, or on a leaf of which fn did not
 * take all. Keys and values are unchecked, rows may come more than once, and old versions of a row
 * come after the present one.
 */
int pages_salvage(struct pages *p, pages_row_fn fn, void *arg) MUST_CHECK;
