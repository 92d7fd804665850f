#include "capture/pages/pages_walk.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

/* Rejected rows may cost at most this many times the file's size. */
#define WASTE_LIMIT 16

/* One tree within a walk. */
struct tree_walk {
	struct walk *w;
	const char *table; /* NULL: the main tree, whose rows are trees */
	bool is_free;      /* the tree of free pages: its keys are numbers */
	struct tree counted;
	struct span last;                 /* key of the previous row; NULL: none */
	struct span floor;                /* no following key may be less than this; NULL: none */
	uint8_t *copies[DEPTH_LIMIT + 1]; /* copies of the current page on each level, or NULL */
	char last_key[KEY_LIMIT];         /* storage for `last` once its page is released */
};

/* Reports damage. Returns -EBADMSG if the walk must stop, else 0. */
static int PRINTF(2, 3) damage(struct walk *w, const char *format, ...)
{
	w->doubts++;
	if (w->tolerant) {
		return 0;
	}
	va_list args;
	va_start(args, format);
	if (vasprintf(&w->why, format, args) < 0) {
		w->why = xstrdup("it is damaged");
	}
	va_end(args);
	return -EBADMSG;
}

bool pages_seen(const struct walk *w, uint64_t page)
{
	return w->seen[page / 8] & 1u << (page % 8);
}

/* Marks a page as seen. False: it was seen before. */
static bool mark(struct walk *w, uint64_t page)
{
	uint8_t bit = (uint8_t)(1u << (page % 8));
	if (w->seen[page / 8] & bit) {
		return false;
	}
	w->seen[page / 8] |= bit;
	return true;
}

/* If no rows are given to the caller, pages need not stay mapped. They are then copied, since
 * touching one mapped page makes the kernel map its neighbours too. */
static bool is_copied(const struct walk *w)
{
	return !w->fn && !w->tolerant;
}

/* Marks a page that is read in the map, and releases resident pages if there are too many. */
static bool mark_read(struct walk *w, uint64_t page)
{
	if (!mark(w, page)) {
		return false;
	}
	if (!regions_touch(&w->resident, pages_at(w->p, page), w->p->page_size)) {
		pages_relax(w->p);
	}
	return true;
}

/* Returns a tree's page, valid until the next page of the same level is read. NULL: it cannot be
 * read. */
static const uint8_t *tree_page(struct tree_walk *t, uint64_t number, unsigned level)
{
	const struct pages *p = t->w->p;
	uint8_t **copy = &t->copies[level];
	if (!is_copied(t->w)) {
		return pages_at(p, number);
	}
	if (!*copy) {
		*copy = xmalloc(p->page_size);
	}
	if (!pages_copy(p, number, *copy)) {
		return NULL;
	}
	if (t->w->hash) {
		XXH3_64bits_update(t->w->hash, *copy, p->page_size);
	}
	return *copy;
}

static void leave_leaf(struct tree_walk *t)
{
	if (is_copied(t->w) && t->last.data) {
		expect(t->last.len <= sizeof(t->last_key));
		memmove(t->last_key, t->last.data, t->last.len);
		t->last.data = t->last_key;
	}
}

static int tree_compare(const struct tree_walk *t, struct span a, struct span b)
{
	if (t->is_free && a.len == 8 && b.len == 8) {
		uint64_t x = get64((const uint8_t *)a.data), y = get64((const uint8_t *)b.data);
		return (x > y) - (x < y);
	}
	int c = memcmp(a.data, b.data, MIN(a.len, b.len));
	return c ? c : (a.len > b.len) - (a.len < b.len);
}

/*
 * Finds a value on overflow pages. If its run may be wrong, a tolerant walk lets the receiver of
 * the row decide. -ENOENT: there is nothing to give to the receiver.
 */
static int big_value(struct walk *w, const struct node *node, struct span *ret, uint32_t *ret_pages)
{
	const struct pages *p = w->p;
	uint64_t first = get64(node->data);
	uint64_t run = (PAGE_HEADER - 1 + node->number) / p->page_size + 1;
	if (first < 2 || first >= w->limit || run > w->limit - first) {
		int r = damage(w, "an overflow run at page %" PRIu64 " leaves the file", first);
		return r < 0 ? r : -ENOENT;
	}
	uint32_t pages = w->hash ? (uint32_t)run : pages_run(p, first);
	if (pages < run || pages > w->limit - first) {
		if (damage(w, "page %" PRIu64 " is not the overflow page it should be", first) <
		        0) {
			return -EBADMSG;
		}
		pages = (uint32_t)run;
	}
	*ret = (struct span){(const char *)pages_at(p, first) + PAGE_HEADER, node->number};
	*ret_pages = pages;
	return 0;
}

static int mark_run(struct walk *w, uint64_t first, uint32_t pages)
{
	for (uint64_t i = first; i < first + pages; i++) {
		bool is_new = i == first && !w->hash ? mark_read(w, i) : mark(w, i);
		if (!is_new && damage(w, "page %" PRIu64 " is used twice", i) < 0) {
			return -EBADMSG;
		}
	}
	return 0;
}

/* Passes a row to the caller of the walk. Rejected rows cost time; a crafted file gets only a
 * limited amount of it. */
static int offer(struct walk *w, enum pages_place place, const char *table, struct span key,
        struct span value)
{
	if (!w->fn || (w->tolerant && w->wasted / WASTE_LIMIT > w->p->size)) {
		return 0;
	}
	int r = w->fn(w->arg, place, table, key, value);
	if (r == 0) {
		w->wasted += value.len;
		w->doubts++;
	}
	return r < 0 ? r : r > 0;
}

int pages_walk_value(struct walk *w, enum pages_place place, const char *table,
        const struct node *node, struct tree *counted)
{
	if (!(node->flags & NODE_BIG)) {
		struct span whole = {(const char *)node->data, node->number};
		int r = offer(w, place, table, node->key, whole);
		return r < 0 ? r : 0;
	}
	struct span value;
	uint32_t pages = 0;
	int r = big_value(w, node, &value, &pages);
	if (r < 0) {
		return r == -ENOENT ? 0 : r;
	}
	uint64_t first = get64(node->data);
	if (!w->tolerant) {
		expect(counted); /* only in a tolerant walk may a tree lack its record */
		counted->overflow_pages += pages;
		r = mark_run(w, first, pages);
		if (r == 0) {
			r = offer(w, place, table, node->key, value);
		}
		return r < 0 ? r : 0;
	}
	if (pages_seen(w, first)) {
		return 0;
	}
	r = offer(w, place, table, node->key, value);
	return r > 0 ? mark_run(w, first, pages) : r;
}

/* Walks a row of the main tree: a table's name and its tree. */
static int walk_table(struct walk *w, const struct node *node)
{
	if (node->flags != NODE_TREE || node->number != TREE_SIZE) {
		return damage(w, "a row of the main tree is not a table");
	}
	char *table = span_dup(node->key);
	struct tree tree = pages_tree(node->data);
	int r = pages_walk_tree(w, table, &tree);
	free(table);
	return r;
}

/* Reads a row of the tree of free pages: a count and the page numbers. Marks these pages as seen.
 * If a damaged pointer leads to an older, intact copy of a tree, it leads to pages that are free by
 * now. */
static int walk_free(struct tree_walk *t, uint64_t number, const struct node *node)
{
	struct walk *w = t->w;
	struct span list = {(const char *)node->data, node->number};
	uint32_t pages = 0;
	int r = 0;
	if (node->flags & NODE_BIG) {
		r = big_value(w, node, &list, &pages);
		if (r == 0) {
			t->counted.overflow_pages += pages;
			r = mark_run(w, get64(node->data), pages);
		}
	}
	/* With a hash, the trees are known to be the writer's last ones, and free lists may be
	 * on overflow pages, which that walk does not read. */
	if (r < 0 || w->hash) {
		return r;
	}
	const uint8_t *at = (const uint8_t *)list.data;
	if (list.len < 8 || get64(at) > list.len / 8 - 1) {
		return damage(w, "a list of free pages on page %" PRIu64 " is too short", number);
	}
	for (uint64_t i = 1; i <= get64(at) && r == 0; i++) {
		uint64_t page = get64(at + 8 * i);
		if (page < 2 || page >= w->limit || !mark(w, page)) {
			r = damage(w, "page %" PRIu64 " cannot be free", page);
		}
	}
	return r;
}

static int walk_row(struct tree_walk *t, uint64_t page, const struct node *node)
{
	struct walk *w = t->w;
	bool ordered = (!t->last.data || tree_compare(t, t->last, node->key) < 0) &&
	               (!t->floor.data || tree_compare(t, t->floor, node->key) <= 0);
	if (!ordered && damage(w, "keys on page %" PRIu64 " are out of order", page) < 0) {
		return -EBADMSG;
	}
	t->last = node->key;
	t->counted.entries++;
	if (t->is_free) {
		return walk_free(t, page, node);
	}
	if (!t->table) {
		return walk_table(w, node);
	}
	if (node->flags & ~NODE_BIG) {
		return damage(w, "a node on page %" PRIu64 " has flags that no row has", page);
	}
	return pages_walk_value(w, PAGES_TREE, t->table, node, &t->counted);
}

int pages_count_nodes(struct walk *w, uint64_t number, const uint8_t *page, size_t *ret)
{
	size_t size = w->p->page_size;
	if (!w->tolerant) {
		uint16_t lower = get16(page + 12), upper = get16(page + 14);
		if (lower < PAGE_HEADER || lower % 2 || lower > upper || upper > size) {
			return damage(w, "the bounds of page %" PRIu64 " are wrong", number);
		}
		*ret = (lower - PAGE_HEADER) / 2u;
		return 0;
	}
	size_t n = 0, end = size;
	for (; PAGE_HEADER + 2 * n + 2 <= end; n++) {
		size_t offset = get16(page + PAGE_HEADER + 2 * n);
		if (offset > PAGE_HEADER && offset < end) {
			end = offset;
		}
	}
	*ret = n;
	return 0;
}

static int walk_page(struct tree_walk *t, uint64_t number, unsigned level, const struct tree *tree);

static int walk_child(struct tree_walk *t, uint64_t parent, const struct node *node, bool is_first,
        unsigned level, const struct tree *tree)
{
	/* All previous rows are below the separator, and no later row is. The first child has no
	 * separator. */
	if (!is_first) {
		if ((node->key.len == 0 ||
		            (t->last.data && tree_compare(t, t->last, node->key) >= 0)) &&
		        damage(t->w, "the keys of branch page %" PRIu64 " are out of order",
		                parent) < 0) {
			return -EBADMSG;
		}
		t->floor = node->key;
	}
	return walk_page(t, node->number, level + 1, tree);
}

/* Walks the nodes of a leaf, which are rows, or of a branch page, which are pages. */
static int walk_nodes(struct tree_walk *t, uint64_t number, const uint8_t *page, unsigned level,
        const struct tree *tree)
{
	struct walk *w = t->w;
	bool is_leaf = get16(page + 10) == LEAF_PAGE;
	uint16_t upper = get16(page + 14);
	uint64_t doubts = w->doubts;
	size_t n = 0;
	int r = pages_count_nodes(w, number, page, &n);
	if (r < 0) {
		return r;
	}
	*(is_leaf ? &t->counted.leaf_pages : &t->counted.branch_pages) += 1;
	if (n < (is_leaf ? 1 : 2)) {
		return damage(w,
		        is_leaf ? "leaf page %" PRIu64 " is empty"
		                : "branch page %" PRIu64 " has fewer than two children",
		        number);
	}
	size_t listed = pages_listed(w->p, page, n);
	for (size_t i = 0; i < listed && r == 0; i++) {
		uint16_t offset = get16(page + PAGE_HEADER + 2 * i);
		struct node node;
		if (!pages_node(w->p, page, offset, is_leaf, &node) ||
		        (!w->tolerant && (offset < upper || offset % 2))) {
			r = damage(w, "node %zu of page %" PRIu64 " lies outside it", i, number);
		} else {
			r = is_leaf ? walk_row(t, number, &node)
			            : walk_child(t, number, &node, i == 0, level, tree);
		}
	}
	if (is_leaf) {
		leave_leaf(t);
	}
	if (is_leaf && w->tolerant && (w->doubts > doubts || listed < n)) {
		w->again[number / 8] |= (uint8_t)(1u << (number % 8));
	}
	return r;
}

static int walk_page(struct tree_walk *t, uint64_t number, unsigned level, const struct tree *tree)
{
	struct walk *w = t->w;
	if (number < 2 || number >= w->limit) {
		return damage(w, "page %" PRIu64 " is not in the file", number);
	}
	if (level > DEPTH_LIMIT || (!w->tolerant && level > tree->depth)) {
		return damage(w, "page %" PRIu64 " lies too deep", number);
	}
	const uint8_t *page = tree_page(t, number, level);
	if (!page) {
		return damage(w, "page %" PRIu64 " cannot be read", number);
	}
	uint16_t flags = get16(page + 10);
	if (get64(page) != number || (flags != LEAF_PAGE && flags != BRANCH_PAGE)) {
		return damage(w, "page %" PRIu64 " is not the tree page it should be", number);
	}
	if (is_copied(w) ? !mark(w, number) : !mark_read(w, number)) {
		return damage(w, "page %" PRIu64 " is used twice", number);
	}
	if (flags == LEAF_PAGE && level != tree->depth &&
	        damage(w, "leaf page %" PRIu64 " lies too high", number) < 0) {
		return -EBADMSG;
	}
	return walk_nodes(t, number, page, level, tree);
}

static int walk_whole(struct tree_walk *t, const char *name, const struct tree *tree)
{
	int r = tree->root != NO_PAGE ? walk_page(t, tree->root, 1, tree) : 0;
	for (size_t i = 0; i < ARRAY_LEN(t->copies); i++) {
		free(t->copies[i]);
	}
	if (r < 0) {
		return r;
	}
	const struct tree *c = &t->counted;
	/* A run may have more pages than its value needs. Only the run's first page tells how
	 * many. */
	bool overflow_is_right = t->w->hash ? c->overflow_pages <= tree->overflow_pages
	                                    : c->overflow_pages == tree->overflow_pages;
	if (c->entries != tree->entries || c->branch_pages != tree->branch_pages ||
	        c->leaf_pages != tree->leaf_pages || !overflow_is_right ||
	        (tree->root == NO_PAGE && tree->depth != 0)) {
		return damage(t->w, "tree %s does not hold what it counts", name);
	}
	return 0;
}

int pages_walk_tree(struct walk *w, const char *table, const struct tree *tree)
{
	const char *name = table ? table : "main";
	if (tree->flags && damage(w, "tree %s has flags that it should not have", name) < 0) {
		return -EBADMSG;
	}
	struct tree_walk t = {.w = w, .table = table};
	return walk_whole(&t, name, tree);
}

static int walk_file(struct walk *w)
{
	const struct pages *p = w->p;
	struct meta meta;
	const char *unsound = pages_newer_meta(p, &meta);
	if (unsound) {
		return damage(w, "%s", unsound);
	}
	w->limit = MIN(p->n, meta.last_page + 1);
	if (w->hash && p->n < 2) {
		return damage(w, "it is shorter than its two meta pages");
	}
	if (w->hash) {
		XXH3_64bits_update(w->hash, pages_at(p, 0), 2 * p->page_size);
	}
	int r = walk_whole(
	        &(struct tree_walk){.w = w, .is_free = true}, "of free pages", &meta.free);
	return r < 0 ? r : pages_walk_tree(w, NULL, &meta.main);
}

int pages_walk_sound(
        struct pages *p, XXH3_state_t *hash, pages_row_fn fn, void *arg, char **ret_why)
{
	struct walk w = {.p = p,
	        .limit = p->n,
	        .seen = xcalloc(p->n / 8 + 1, 1),
	        .hash = hash,
	        .fn = fn,
	        .arg = arg};
	int r = walk_file(&w);
	free(w.seen);
	if (r < 0) {
		*ret_why = w.why;
	}
	return r;
}

int pages_check(struct pages *p, char **ret_why)
{
	return pages_walk_sound(p, NULL, NULL, NULL, ret_why);
}

int pages_hash_trees(struct pages *p, uint64_t *ret, char **ret_why)
{
	/* The pages of a tree are scattered over the file. */
	(void)posix_fadvise(p->fd, 0, 0, POSIX_FADV_RANDOM);
	XXH3_state_t *state = XXH3_createState();
	expect(state);
	XXH3_64bits_reset(state);
	int r = pages_walk_sound(p, state, NULL, NULL, ret_why);
	*ret = XXH3_64bits_digest(state);
	XXH3_freeState(state);
	return r;
}
