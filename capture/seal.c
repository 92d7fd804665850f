#include "capture/seal.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "capture/file_hash.h"
#include "capture/segment.h"
#include "capture/segment_file.h"

#define TEXT_SIZE 96

static void format(const struct seal *seal, char to[TEXT_SIZE])
{
	int n = snprintf(to, TEXT_SIZE, "plumbline-seal %d %016" PRIx64 " %" PRIu64,
	        seal->has_trees ? 2 : 1, seal->hash, seal->bytes);
	if (seal->has_trees) {
		n += snprintf(to + n, TEXT_SIZE - (size_t)n, " %016" PRIx64, seal->trees);
	}
	snprintf(to + n, TEXT_SIZE - (size_t)n, "\n");
}

static bool parse(const char *text, struct seal *ret)
{
	unsigned version;
	int n = sscanf(text, "plumbline-seal %u %" SCNx64 " %" SCNu64 " %" SCNx64, &version,
	        &ret->hash, &ret->bytes, &ret->trees);
	ret->has_trees = n == 4;
	/* The seal is formatted again and compared as text: plumbline never writes any other
	 * form. */
	char expected[TEXT_SIZE];
	format(ret, expected);
	return n >= 3 && strcmp(text, expected) == 0;
}

int seal_read(const char *dir, struct id id, struct seal *ret)
{
	char *path = segment_path(dir, id, "seal");
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	free(path);
	if (fd < 0) {
		return -errno;
	}
	char text[TEXT_SIZE];
	ssize_t n = read(fd, text, sizeof(text) - 1);
	int r = n < 0 ? -errno : 0;
	close(fd);
	if (r < 0) {
		return r;
	}
	text[n] = '\0';
	*ret = (struct seal){0};
	return parse(text, ret) ? 0 : -EBADMSG;
}

static int hash_trees(const char *path, struct seal *seal)
{
	struct pages *p;
	char *why = NULL;
	int r = pages_open(path, &p);
	if (r < 0) {
		return r;
	}
	r = pages_hash_trees(p, &seal->trees, &why);
	pages_close(p);
	free(why);
	return r;
}

int seal_write(const char *dir, struct id id)
{
	char *path = segment_path(dir, id, "seg");
	char *to = segment_path(dir, id, "seal");
	char *temporary = segment_path(dir, id, "seal-new");
	struct seal seal = {.has_trees = true};
	int r = file_hash(path, &seal.hash, &seal.bytes);
	if (r == 0) {
		r = hash_trees(path, &seal);
	}
	if (r == 0) {
		char text[TEXT_SIZE];
		format(&seal, text);
		r = segment_write_file(temporary, span_of(text));
	}
	if (r == 0 && rename(temporary, to) < 0) {
		r = -errno;
		unlink(temporary);
	}
	free(temporary);
	free(to);
	free(path);
	return r < 0 ? r : segment_sync_dir(dir);
}

int seal_verify(const char *dir, struct id id)
{
	struct seal seal, found = {0};
	int r = seal_read(dir, id, &seal);
	if (r < 0) {
		return r;
	}
	char *path = segment_path(dir, id, "seg");
	r = file_hash(path, &found.hash, &found.bytes);
	free(path);
	if (r < 0) {
		return r;
	}
	return found.hash == seal.hash && found.bytes == seal.bytes ? 0 : -EBADMSG;
}

static int mismatch(char **ret_why)
{
	*ret_why = xstrdup("its file does not agree with the checksum in its seal");
	return -EBADMSG;
}

int seal_check_trees(const char *dir, struct id id, struct pages *p, char **ret_why)
{
	struct seal seal;
	int r = seal_read(dir, id, &seal);
	if (r == 0 && seal.has_trees) {
		uint64_t trees;
		r = pages_hash_trees(p, &trees, ret_why);
		bool is_right = trees == seal.trees && pages_bytes(p) == seal.bytes;
		return r < 0 || is_right ? r : mismatch(ret_why);
	}
	if (r == 0) {
		r = seal_verify(dir, id);
	}
	if (r == -EBADMSG) {
		return mismatch(ret_why);
	}
	return r < 0 ? r : pages_check(p, ret_why);
}
