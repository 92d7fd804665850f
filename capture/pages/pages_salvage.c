/*
 * Reads the rows of a damaged data file: those of its trees, and those on other pages.
 */
#include <stdlib.h>

#include "base/mem.h"
#include "capture/pages/pages_walk.h"

static bool is_complete(const struct walk *w, uint64_t page)
{
	return pages_seen(w, page) && !(w->again[page / 8] & 1u << (page % 8));
}

/* Reads as leaves all pages that no tree, or only a doubtful pointer, led to. */
static int salvage_strays(struct walk *w)
{
	const struct pages *p = w->p;
	for (uint64_t number = 2; number < p->n; number++) {
		if (is_complete(w, number)) {
			continue;
		}
		const uint8_t *page = pages_at(p, number);
		size_t n = 0;
		int r = pages_count_nodes(w, number, page, &n);
		for (size_t i = 0; i < n && r == 0; i++) {
			struct node node;
			uint16_t offset = get16(page + PAGE_HEADER + 2 * i);
			bool listed = pages_lists_node(p, page, number, i, offset);
			if (pages_node(p, page, offset, true, &node) && !(node.flags & ~NODE_BIG)) {
				r = pages_walk_value(
				        w, listed ? PAGES_STRAY : PAGES_REST, NULL, &node, NULL);
			}
		}
		if (r < 0) {
			return r;
		}
	}
	return 0;
}

static int salvage_damaged(struct pages *p, pages_row_fn fn, void *arg)
{
	struct walk w = {.p = p,
	        .limit = p->n,
	        .seen = xcalloc(p->n / 8 + 1, 1),
	        .again = xcalloc(p->n / 8 + 1, 1),
	        .tolerant = true,
	        .fn = fn,
	        .arg = arg};
	struct meta metas[2];
	bool has[2];
	for (unsigned i = 0; i < 2; i++) {
		has[i] = pages_meta(p, i * p->page_size, &metas[i]);
	}
	int r = 0;
	if (has[0] || has[1]) {
		unsigned newer = !has[0] || (has[1] && metas[0].txn < metas[1].txn);
		r = pages_walk_tree(&w, NULL, &metas[newer].main);
	}
	if (r == 0) {
		r = salvage_strays(&w);
	}
	free(w.again);
	free(w.seen);
	return r;
}

int pages_salvage(struct pages *p, pages_row_fn fn, void *arg)
{
	char *why = NULL;
	if (pages_check(p, &why) == 0) {
		return pages_walk_sound(p, NULL, fn, arg, &why);
	}
	free(why);
	return salvage_damaged(p, fn, arg);
}
