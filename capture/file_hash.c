#include "capture/file_hash.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"
#include "capture/xxh3.h"

/* Mapped at a time: what is mapped looks like memory of this process. */
#define STRETCH ((size_t)4 << 20)
/* Read at a time: stays in the cache between reading and hashing. */
#define BLOCK ((size_t)128 << 10)

struct hashing {
	XXH3_state_t *state;
	file_look_fn look;
	void *arg;
};

static void take(const struct hashing *h, off_t at, const char *bytes, size_t n)
{
	XXH3_64bits_update(h->state, bytes, n);
	if (h->look) {
		h->look(h->arg, (uint64_t)at, bytes, n);
	}
}

/*
 * A stretch is hashed where it lies in the page cache, rather than copied from there. It is mapped as a whole
 * before it is looked at, so that what cannot be read from the disk is an error and no signal. False: not
 * so on this kernel, or not this stretch.
 */
static bool hash_mapped(const struct hashing *h, int fd, off_t at, size_t n)
{
#ifdef MADV_POPULATE_READ
	void *map = mmap(NULL, n, PROT_READ, MAP_PRIVATE, fd, at);
	if (map == MAP_FAILED) {
		return false;
	}
	bool there = madvise(map, n, MADV_POPULATE_READ) == 0;
	if (there) {
		take(h, at, map, n);
	}
	munmap(map, n);
	return there;
#else
	return false;
#endif
}

/* Up to n bytes from at on; what was there, or a negative errno. */
static ssize_t hash_read(const struct hashing *h, int fd, off_t at, size_t n, char *block)
{
	size_t done = 0;
	while (done < n) {
		ssize_t r = pread(fd, block, MIN(n - done, BLOCK), at + (off_t)done);
		if (r < 0 && errno == EINTR) {
			continue;
		}
		if (r <= 0) {
			return r < 0 ? -errno : (ssize_t)done;
		}
		take(h, at + (off_t)done, block, (size_t)r);
		done += (size_t)r;
	}
	return (ssize_t)done;
}

static int hash_open(const struct hashing *h, int fd, uint64_t *ret_size)
{
	struct stat st;
	if (fstat(fd, &st) < 0) {
		return -errno;
	}
	char *block = xmalloc(BLOCK);
	ssize_t n = 1;
	off_t at = 0;
	for (; at < st.st_size && n > 0; at += n) {
		size_t stretch = MIN((size_t)(st.st_size - at), STRETCH);
		bool mapped = hash_mapped(h, fd, at, stretch);
		n = mapped ? (ssize_t)stretch : hash_read(h, fd, at, stretch, block);
	}
	free(block);
	*ret_size = (uint64_t)at;
	return n < 0 ? (int)n : 0;
}

int file_hash(
        const char *path, file_look_fn look, void *arg, uint64_t *ret_hash, uint64_t *ret_size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0) {
		return -errno;
	}
	struct hashing h = {XXH3_createState(), look, arg};
	expect(h.state);
	XXH3_64bits_reset(h.state);
	int r = hash_open(&h, fd, ret_size);
	*ret_hash = XXH3_64bits_digest(h.state);
	XXH3_freeState(h.state);
	close(fd);
	return r;
}
