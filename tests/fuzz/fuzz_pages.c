/*
 * Any bytes as an LMDB file. The check and the salvage must not read outside of it, and must end.
 * If a file passes the check, the salvage reads it to the end.
 */
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/check.h"
#include "capture/pages/pages.h"
#include "capture/record.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int on_row(
        void *arg, enum pages_place place, const char *table, struct span key, struct span value)
{
	struct span payload;
	static const enum row_kind kinds[] = {ROW_EXCHANGE, ROW_LEG, ROW_PART, ROW_META};
	for (size_t i = 0; i < ARRAY_LEN(kinds); i++) {
		if (record_unwrap(value, kinds[i], arg, &payload) == 0) {
			return 1;
		}
	}
	return 0;
}

/* The trees of a file that passes the check have a hash, which is the same again. */
static void check_trees(struct pages *p, bool is_sound)
{
	char *why[2] = {NULL, NULL};
	uint64_t hash[2];
	int r = pages_hash_trees(p, &hash[0], &why[0]);
	expect((r < 0) == (why[0] != NULL));
	expect(r == 0 || !is_sound);
	expect(pages_hash_trees(p, &hash[1], &why[1]) == r && hash[0] == hash[1]);
	free(why[0]);
	free(why[1]);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static char path[32];
	static int fd = -1;
	if (fd < 0) {
		char name[] = "/tmp/plumbline-fuzz-XXXXXX";
		fd = mkstemp(name);
		expect(fd >= 0);
		unlink(name);
		snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	}
	expect(ftruncate(fd, 0) == 0 && pwrite(fd, data, size, 0) == (ssize_t)size);
	struct pages *p;
	expect(pages_open(path, &p) == 0);
	struct buf scratch = {0};
	char *why = NULL;
	int r = pages_check(p, &why);
	expect((r < 0) == (why != NULL));
	free(why);
	check_trees(p, r == 0);
	expect(pages_salvage(p, on_row, &scratch) == 0);
	buf_finish(&scratch);
	pages_close(p);
	return 0;
}
