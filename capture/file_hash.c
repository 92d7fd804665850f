#include "capture/file_hash.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/xxh3.h"

/* Bytes read at a time. A block stays in the CPU's cache between reading and hashing. */
#define BLOCK ((size_t)128 << 10)

static int hash_open(int fd, XXH3_state_t *state, uint64_t *ret_size)
{
	char *block = xmalloc(BLOCK);
	uint64_t size = 0;
	int r = 0;
	for (;;) {
		ssize_t n = read(fd, block, BLOCK);
		if (n > 0) {
			XXH3_64bits_update(state, block, (size_t)n);
			size += (uint64_t)n;
		} else if (n == 0 || errno != EINTR) {
			r = n < 0 ? -errno : 0;
			break;
		}
	}
	free(block);
	*ret_size = size;
	return r;
}

int file_hash(const char *path, uint64_t *ret_hash, uint64_t *ret_size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0) {
		return -errno;
	}
	XXH3_state_t *state = XXH3_createState();
	expect(state);
	XXH3_64bits_reset(state);
	int r = hash_open(fd, state, ret_size);
	*ret_hash = XXH3_64bits_digest(state);
	XXH3_freeState(state);
	close(fd);
	return r;
}
