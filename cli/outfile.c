#include "cli/outfile.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"

/* Without the slashes at its end. */
static size_t bare_length(const char *path)
{
	size_t n = strlen(path);
	while (n > 1 && path[n - 1] == '/') {
		n--;
	}
	return n;
}

static bool is_same_dir(const char *a, const char *b)
{
	size_t n = bare_length(a);
	return n == bare_length(b) && memcmp(a, b, n) == 0;
}

static int check_moved(const char *path, const char *made)
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

static int check_overwritten(const char *path, const char *made)
{
	struct stat st;
	if (stat(path, &st) < 0) {
		return errno == ENOENT ? check_moved(path, made) : -errno;
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
	char *bare = xstrndup(path, bare_length(path));
	int r = errno == ENOENT ? check_moved(bare, made) : -errno;
	free(bare);
	return r;
}

static char *problem_of(const char *option, const char *path, int r)
{
	return r < 0 ? xasprintf("--%s %.200s can't be written: %s", option, path, strerror(-r))
	             : NULL;
}

char *outfile_check(const char *option, const char *path, const char *made)
{
	return problem_of(option, path, check_overwritten(path, made));
}

char *outfile_check_moved(const char *option, const char *path, const char *made)
{
	return problem_of(option, path, check_moved(path, made));
}

int outfile_write(const char *path, mode_t mode, struct span text)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, mode);
	int r = fd < 0 ? -errno : 0;
	for (size_t done = 0; r == 0 && done < text.len;) {
		ssize_t n = write(fd, text.data + done, text.len - done);
		r = n < 0 && errno != EINTR ? -errno : 0;
		done += n > 0 ? (size_t)n : 0;
	}
	if (fd >= 0 && close(fd) < 0 && r == 0) {
		r = -errno;
	}
	return r;
}
