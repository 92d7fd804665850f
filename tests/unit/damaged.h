#pragma once
/*
 * damaged - changes bytes of the only segment in a directory, in place.
 */
#include <criterion/criterion.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"
#include "capture/segment.h"

/* LMDB's pages: their size, and their kinds. */
#define DAMAGED_PAGE ((size_t)4096)
enum { DAMAGED_BRANCH = 0x01, DAMAGED_LEAF = 0x02, DAMAGED_VALUE = 0x04, DAMAGED_META = 0x08 };

struct damaged {
	struct id id;
	char *path;
	uint8_t *data; /* the original bytes */
	size_t size;
};

static inline struct damaged damaged_load(const char *dir)
{
	struct id *ids;
	size_t n;
	struct stat st;
	cr_assert_eq(segment_list(dir, &ids, &n), 0);
	cr_assert_eq(n, 1);
	struct damaged d = {.id = ids[0], .path = segment_path(dir, ids[0], "seg")};
	free(ids);
	int fd = open(d.path, O_RDONLY);
	cr_assert_eq(fstat(fd, &st), 0);
	d.size = (size_t)st.st_size;
	d.data = xmalloc(d.size);
	cr_assert_eq(read(fd, d.data, d.size), st.st_size);
	close(fd);
	return d;
}

static inline void damaged_unload(struct damaged *d)
{
	free(d->path);
	free(d->data);
}

static inline void damaged_poke(const struct damaged *d, size_t at, uint8_t byte)
{
	int fd = open(d->path, O_WRONLY);
	cr_assert_eq(pwrite(fd, &byte, 1, (off_t)at), 1);
	close(fd);
}

/* True if the bytes at offset `at` are the header of a page of this kind. */
static inline bool damaged_is_page(const struct damaged *d, size_t at, uint8_t kind)
{
	return d->data[at + 10] == kind && d->data[at + 11] == 0;
}

/* Returns the offset of the first page of this kind, from `at` on, where a page begins. */
static inline size_t damaged_find_page(const struct damaged *d, size_t at, uint8_t kind)
{
	while (at < d->size && !damaged_is_page(d, at, kind)) {
		at += DAMAGED_PAGE;
	}
	cr_assert_lt(at, d->size);
	return at;
}
