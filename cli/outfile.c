#include "cli/outfile.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"

static bool is_same_dir(const char *a, const char *b)
{
	size_t n = strlen(a), m = strlen(b);
	while (n > 1 && a[n - 1] == '/') {
		n--;
	}
	while (m > 1 && b[m - 1] == '/') {
		m--;
	}
	return n == m && memcmp(a, b, n) == 0;
}

int outfile_check_moved(const char *path, const char *made)
{
	struct stat st;
	const char *slash = strrchr(path, '/');
	char *dir = slash ? xstrndup(path, MAX((size_t)(slash - path), (size_t)1)) : xstrdup(".");
	int r = access(dir, W_OK | X_OK) < 0 ? -errno : 0;
	if (r == -ENOENT && made && is_same_dir(dir, made)) {
		r = 0;
	}
	if (r == 0 && stat(path, &st) == 0 && S_ISDIR(st.st_mode)) {
		r = -EISDIR;
	}
	free(dir);
	return r;
}

int outfile_check(const char *path, const char *made)
{
	struct stat st;
	if (stat(path, &st) < 0) {
		return errno == ENOENT ? outfile_check_moved(path, made) : -errno;
	}
	return S_ISDIR(st.st_mode) ? -EISDIR : access(path, W_OK) < 0 ? -errno : 0;
}

int outfile_check_directory(const char *path, const char *made)
{
	struct stat st;
	if (made && is_same_dir(path, made)) {
		return -ENOTEMPTY;
	}
	if (stat(path, &st) == 0) {
		return access(path, W_OK | X_OK) < 0 ? -errno : 0;
	}
	size_t len = strlen(path);
	while (len > 1 && path[len - 1] == '/') {
		len--;
	}
	char *bare = xstrndup(path, len);
	int r = errno == ENOENT ? outfile_check_moved(bare, made) : -errno;
	free(bare);
	return r;
}
