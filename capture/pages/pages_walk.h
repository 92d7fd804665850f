#pragma once
/*
 * pages_walk - the walk over the trees of a data file. For pages*.c only.
 *
 * A strict walk ends at the first damage with -EBADMSG, and sets `why`. A tolerant one skips damage
 * and counts it. Functions return 0 or a negative errno. One thread.
 */
#include "capture/pages/pages.h"
#include "capture/pages/pages_file.h"
#include "capture/pages/regions.h"
#include "base/xxh3.h"

/* One walk over the trees. Whoever begins it allocates and frees `seen` and, for a tolerant walk,
 * `again`. */
struct walk {
	const struct pages *p;
	uint64_t limit; /* page numbers must be below it */
	uint8_t *seen;  /* a bit a page */
	/* A bit a page, tolerant walks only: leaves that are damaged, or on which fn rejected a
	 * row. The branch that led to such a leaf may be damaged, so pages_salvage() reads the leaf
	 * again, without its branch. */
	uint8_t *again;
	uint64_t doubts;         /* damage and rejected rows so far */
	struct regions resident; /* the parts of the map that the walk has read (regions.h) */
	XXH3_state_t *hash; /* of the trees' pages, or NULL; if set, overflow pages are not read */
	bool tolerant;      /* skips damage and records it, instead of stopping */
	char *why;          /* strict: the damage; the caller frees it */
	uint64_t wasted;    /* bytes given to fn that it rejected as no row */
	pages_row_fn fn;    /* or NULL */
	void *arg;
};

/* A strict walk over all trees. hash: as in struct walk, or NULL. fn gets all rows of the tables;
 * NULL: not needed. */
int pages_walk_sound(
        struct pages *p, XXH3_state_t *hash, pages_row_fn fn, void *arg, char **ret_why) MUST_CHECK;
/* Walks one tree. table: its name; NULL: the main tree, whose rows are tables. */
int pages_walk_tree(struct walk *w, const char *table, const struct tree *tree) MUST_CHECK;
/* Walks a leaf node that is a row of a table. The number of its overflow pages is added to
 * counted->overflow_pages; only in a tolerant walk may counted be NULL. */
int pages_walk_value(struct walk *w, enum pages_place place, const char *table,
        const struct node *node, struct tree *counted) MUST_CHECK;
/* Counts the node offsets of a page. A tolerant walk ignores the `lower` of the page's header
 * (pages_file.h): offsets continue as long as they end before the first node. */
int pages_count_nodes(struct walk *w, uint64_t number, const uint8_t *page, size_t *ret) MUST_CHECK;
/* True if the walk has read the page, or knows that it is free. */
bool pages_seen(const struct walk *w, uint64_t page);
