#pragma once
/*
 * pages_file - the file behind pages.h: its layout, and what can be read of it page by page.
 * For pages*.c only.
 *
 * All numbers are little-endian; the first number of a line is the offset.
 *
 *	page    0 u64 number, 8 u16 pad, 10 u16 flags;
 *	        branch and leaf: 12 u16 lower, 14 u16 upper, 16 the u16 offsets of the nodes, up to
 *	        lower; the nodes lie between upper and the end of the page
 *	        overflow: 12 u32 pages of the run, 16 the value, over all of them
 *	node    0 u16 low, 2 u16 high, 4 u16 flags, 6 u16 key size, 8 key, data
 *	        leaf: low and high are the data's size, flags tell if it is the u64 number of an
 *	        overflow page instead; branch: low, high and flags are the child's number
 *	meta    on pages 0 and 1, at 16: 0 u32 magic, 4 u32 version, 8 u64 address, 16 u64 map size,
 *	        24 tree of free pages, 72 main tree, 120 u64 last page, 128 u64 transaction
 *	tree    0 u32 pad (of the tree of free pages: the page size), 4 u16 flags, 6 u16 depth,
 *	        8 u64 branch pages, 16 u64 leaf pages, 24 u64 overflow pages, 32 u64 entries,
 *	        40 u64 root
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "capture/pages/pages.h"

#define PAGE_HEADER 16
#define NODE_HEADER 8
#define TREE_SIZE 48
#define META_SIZE 136
#define PAGE_SIZE_MIN 512
#define PAGE_SIZE_MAX 32768
#define PAGE_SIZE_USUAL 4096
#define KEY_LIMIT 511
#define DEPTH_LIMIT 31 /* LMDB's cursors hold 32 pages */
#define NO_PAGE UINT64_MAX

#define MAGIC 0xBEEFC0DE
#define DATA_VERSION 1

enum { BRANCH_PAGE = 0x01, LEAF_PAGE = 0x02, OVERFLOW_PAGE = 0x04, META_PAGE = 0x08 };
enum { NODE_BIG = 0x01, NODE_TREE = 0x02 };
enum { ENV_INTEGERKEY = 0x08, ENV_NOSUBDIR = 0x4000 };

struct tree {
	uint32_t pad;
	uint16_t flags, depth;
	uint64_t branch_pages, leaf_pages, overflow_pages, entries, root;
};

struct meta {
	uint64_t map_size, last_page, txn;
	struct tree free, main;
};

struct pages {
	int fd;
	const uint8_t *map; /* NULL: the file is empty */
	size_t size;        /* bytes of the file and of the mapping */
	size_t page_size;
	uint64_t n; /* number of whole pages in the file */
};

struct node {
	uint16_t flags;
	uint64_t number; /* branch: the child's page number; leaf: the size of the data */
	struct span key;
	const uint8_t *data; /* leaf: the data */
};

static inline uint16_t get16(const uint8_t *at)
{
	return (uint16_t)(at[0] | at[1] << 8);
}

static inline uint32_t get32(const uint8_t *at)
{
	return get16(at) | (uint32_t)get16(at + 2) << 16;
}

static inline uint64_t get64(const uint8_t *at)
{
	return get32(at) | (uint64_t)get32(at + 4) << 32;
}

/* Unmaps examined pages. The kernel maps them again when they are read. */
void pages_relax(const struct pages *p);
const uint8_t *pages_at(const struct pages *p, uint64_t number); /* number must be less than p->n */
/* Copies the page into a buffer of page_size bytes. number must be less than p->n. False: the
 * page cannot be read. */
bool pages_copy(const struct pages *p, uint64_t number, uint8_t *to) MUST_CHECK;
/* The number of overflow pages in the run that begins at this page; 0: no run begins here.
 * number must be less than p->n. */
uint32_t pages_run(const struct pages *p, uint64_t number);
struct tree pages_tree(const uint8_t *at);
/* Reads the meta page at an offset of the file. False: there is none. */
bool pages_meta(const struct pages *p, size_t offset, struct meta *ret);
/*
 * Finds the newer one of the valid meta pages. Returns NULL and sets *ret; or returns a sentence
 * that says why LMDB might choose the wrong page: meta pages have no checksum, and a flipped bit in
 * the older page's number would make LMDB show an older state as the last one.
 */
const char *pages_newer_meta(const struct pages *p, struct meta *ret);
/* Reads the node at an offset of a page. False: it is not within the page. */
bool pages_node(
        const struct pages *p, const uint8_t *page, size_t offset, bool is_leaf, struct node *ret);
/*
 * How many of n offsets the page's header lists; n if the header is wrong. The space after them is
 * free and may have old content: pointers to pages that now belong to others, and deleted rows.
 */
size_t pages_listed(const struct pages *p, const uint8_t *page, size_t n);
/* True if the page's header lists the i-th node and allows this offset for it. The header counts
 * only if it has the page's number, or the flags of a leaf. */
bool pages_lists_node(
        const struct pages *p, const uint8_t *page, uint64_t number, size_t i, size_t offset);
