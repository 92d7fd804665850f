#include "capture/file_hash.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/xxh3.h"

static char path[] = "/tmp/plumbline-file-hash-XXXXXX";

static void check(size_t n)
{
	char *bytes = xmalloc(n + 1);
	for (size_t i = 0; i < n; i++) {
		bytes[i] = (char)(i * 2654435761u >> 13);
	}
	FILE *f = fopen(path, "we");
	cr_assert(f);
	cr_assert_eq(fwrite(bytes, 1, n, f), n);
	cr_assert_eq(fclose(f), 0);
	uint64_t hash = 0, size = 0;
	cr_assert_eq(file_hash(path, &hash, &size), 0);
	cr_assert_eq(size, n);
	cr_assert_eq(hash, XXH3_64bits(bytes, n), "of %zu bytes", n);
	free(bytes);
}

Test(file_hash, is_that_of_all_bytes_however_many_there_are)
{
	const size_t block = (size_t)128 << 10,
	             sizes[] = {0, 1, 4096, 100001, block - 1, block, block + 1, 2 * block + 12345};
	int fd = mkstemp(path);
	cr_assert_geq(fd, 0);
	close(fd);
	for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
		check(sizes[i]);
	}
	unlink(path);
}

Test(file_hash, what_cannot_be_read_is_an_error)
{
	uint64_t hash, size;
	cr_assert_eq(file_hash("/nonexistent/file", &hash, &size), -ENOENT);
}
