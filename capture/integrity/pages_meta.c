#include <stdlib.h>

#include "capture/integrity/pages.h"
#include "capture/integrity/pages_file.h"

/*
 * Finds the last key in the tree of free pages: the last transaction that freed pages. 0: none.
 * False: the path to that key is damaged.
 */
static bool last_freed(const struct pages *p, const struct tree *tree, uint64_t *ret)
{
	uint64_t number = tree->root;
	if (number == NO_PAGE) {
		*ret = 0;
		return true;
	}
	for (unsigned level = 1; level <= DEPTH_LIMIT; level++) {
		if (number < 2 || number >= p->n) {
			return false;
		}
		const uint8_t *page = pages_at(p, number);
		uint16_t flags = get16(page + 10), lower = get16(page + 12);
		bool is_leaf = flags == LEAF_PAGE;
		if (get64(page) != number || (!is_leaf && flags != BRANCH_PAGE) ||
		        lower < PAGE_HEADER + 2 || lower % 2 || lower > p->page_size) {
			return false;
		}
		struct node node;
		if (!pages_node(p, page, get16(page + lower - 2), is_leaf, &node)) {
			return false;
		}
		if (is_leaf) {
			*ret = get64((const uint8_t *)node.key.data);
			return node.key.len == sizeof(*ret);
		}
		number = node.number;
	}
	return false;
}

/*
 * Whether the transaction number, which has no checksum, belongs to these trees. Every transaction
 * but the first two replaces pages and records them under its own number in the tree of free pages.
 */
static bool is_of_its_age(const struct pages *p, const struct meta *m, unsigned place)
{
	if (m->txn == 0) {
		return m->main.root == NO_PAGE && m->free.root == NO_PAGE;
	}
	uint64_t last;
	return m->txn % 2 == place && last_freed(p, &m->free, &last) &&
	       (last == m->txn || (m->txn == 1 && last == 0));
}

const char *pages_newer_meta(const struct pages *p, struct meta *ret)
{
	struct meta metas[2];
	for (unsigned i = 0; i < 2; i++) {
		if (!pages_meta(p, i * p->page_size, &metas[i]) ||
		        metas[i].free.pad != p->page_size) {
			return "one of its two meta pages is damaged";
		}
	}
	unsigned newer = metas[0].txn < metas[1].txn;
	const struct meta *m = &metas[newer], *older = &metas[!newer];
	/* Transactions commit to the two meta pages alternately. */
	bool in_turn = m->txn - older->txn == 1 || (m->txn == 0 && older->txn == 0);
	if (!in_turn || !is_of_its_age(p, m, newer) || !is_of_its_age(p, older, !newer)) {
		return "which of its two meta pages is newer cannot be determined";
	}
	/* No writer of a segment changes the size of its map. */
	if (m->map_size != older->map_size || m->map_size / p->page_size <= m->last_page ||
	        m->free.flags & ~(ENV_INTEGERKEY | ENV_NOSUBDIR)) {
		return "one of its two meta pages is damaged";
	}
	*ret = *m;
	return NULL;
}
