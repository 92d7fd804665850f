#include "capture/pages/pages.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"
#include "capture/pages/pages_file.h"

const uint8_t *pages_at(const struct pages *p, uint64_t number)
{
	expect(number < p->n);
	return p->map + number * p->page_size;
}

bool pages_copy(const struct pages *p, uint64_t number, uint8_t *to)
{
	expect(number < p->n);
	ssize_t n;
	do {
		n = pread(p->fd, to, p->page_size, (off_t)(number * p->page_size));
	} while (n < 0 && errno == EINTR);
	return n == (ssize_t)p->page_size;
}

struct tree pages_tree(const uint8_t *at)
{
	return (struct tree){
	        .pad = get32(at),
	        .flags = get16(at + 4),
	        .depth = get16(at + 6),
	        .branch_pages = get64(at + 8),
	        .leaf_pages = get64(at + 16),
	        .overflow_pages = get64(at + 24),
	        .entries = get64(at + 32),
	        .root = get64(at + 40),
	};
}

static bool page_size_is_valid(uint32_t size)
{
	return size >= PAGE_SIZE_MIN && size <= PAGE_SIZE_MAX && (size & (size - 1)) == 0;
}

bool pages_meta(const struct pages *p, size_t offset, struct meta *ret)
{
	if (!p->map || offset + PAGE_HEADER + META_SIZE > p->size) {
		return false;
	}
	const uint8_t *page = p->map + offset, *at = page + PAGE_HEADER;
	if (!(get16(page + 10) & META_PAGE) || get32(at) != MAGIC ||
	        get32(at + 4) != DATA_VERSION) {
		return false;
	}
	*ret = (struct meta){
	        .map_size = get64(at + 16),
	        .free = pages_tree(at + 24),
	        .main = pages_tree(at + 24 + TREE_SIZE),
	        .last_page = get64(at + 24 + 2 * TREE_SIZE),
	        .txn = get64(at + 32 + 2 * TREE_SIZE),
	};
	return page_size_is_valid(ret->free.pad);
}

/* Finds the page size: from the first meta page; else from the position of a valid second one;
 * else the size that nearly all files have. */
static size_t find_page_size(const struct pages *p)
{
	struct meta meta;
	if (pages_meta(p, 0, &meta)) {
		return meta.free.pad;
	}
	for (uint32_t size = PAGE_SIZE_MIN; size <= PAGE_SIZE_MAX; size *= 2) {
		if (pages_meta(p, size, &meta) && meta.free.pad == size) {
			return size;
		}
	}
	return PAGE_SIZE_USUAL;
}

int pages_open(const char *path, struct pages **ret)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
	if (fd < 0) {
		return -errno;
	}
	struct stat st;
	int r = fstat(fd, &st) < 0 ? -errno : S_ISREG(st.st_mode) ? 0 : -EINVAL;
	void *map = NULL;
	if (r == 0 && st.st_size > 0) {
		map = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
		if (map == MAP_FAILED) {
			r = -errno;
		}
	}
	if (r < 0) {
		close(fd);
		return r;
	}
	struct pages *p = xmalloc(sizeof(*p));
	*p = (struct pages){.fd = fd, .map = map, .size = (size_t)st.st_size};
	p->page_size = find_page_size(p);
	p->n = p->size / p->page_size;
	*ret = p;
	return 0;
}

void pages_close(struct pages *p)
{
	if (!p) {
		return;
	}
	if (p->map) {
		munmap((void *)p->map, p->size);
	}
	close(p->fd);
	free(p);
}

uint64_t pages_bytes(const struct pages *p)
{
	return p->size;
}

uint32_t pages_run(const struct pages *p, uint64_t number)
{
	const uint8_t *page = pages_at(p, number);
	return get64(page) == number && get16(page + 10) == OVERFLOW_PAGE ? get32(page + 12) : 0;
}

void pages_relax(const struct pages *p)
{
	madvise((void *)p->map, p->size, MADV_DONTNEED);
}

bool pages_is_empty(const struct pages *p)
{
	struct meta metas[2];
	return p->size == 0 ||
	       (pages_meta(p, 0, &metas[0]) && pages_meta(p, p->page_size, &metas[1]) &&
	               metas[0].main.root == NO_PAGE && metas[1].main.root == NO_PAGE);
}

bool pages_node(
        const struct pages *p, const uint8_t *page, size_t offset, bool is_leaf, struct node *ret)
{
	if (offset < PAGE_HEADER || offset + NODE_HEADER > p->page_size) {
		return false;
	}
	const uint8_t *at = page + offset;
	uint16_t flags = get16(at + 4), key_size = get16(at + 6);
	size_t room = p->page_size - offset - NODE_HEADER;
	if (key_size > KEY_LIMIT || key_size > room) {
		return false;
	}
	*ret = (struct node){
	        .flags = flags,
	        .number = get32(at),
	        .key = {(const char *)at + NODE_HEADER, key_size},
	        .data = at + NODE_HEADER + key_size,
	};
	if (!is_leaf) {
		ret->number |= (uint64_t)flags << 32;
		return true;
	}
	return key_size > 0 && ((flags & NODE_BIG) ? 8 : ret->number) <= room - key_size;
}

static bool bounds_are_valid(const struct pages *p, const uint8_t *page)
{
	uint16_t lower = get16(page + 12), upper = get16(page + 14);
	return lower > PAGE_HEADER && lower % 2 == 0 && lower <= upper && upper <= p->page_size;
}

size_t pages_listed(const struct pages *p, const uint8_t *page, size_t n)
{
	return bounds_are_valid(p, page) ? MIN(n, (get16(page + 12) - PAGE_HEADER) / 2u) : n;
}

bool pages_lists_node(
        const struct pages *p, const uint8_t *page, uint64_t number, size_t i, size_t offset)
{
	bool is_page = get64(page) == number || get16(page + 10) == LEAF_PAGE;
	return is_page && bounds_are_valid(p, page) && i < pages_listed(p, page, SIZE_MAX) &&
	       offset >= get16(page + 14);
}

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
