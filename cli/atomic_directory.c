#include "cli/atomic_directory.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/outfile.h"

#define COPY_SIZE ((size_t)1 << 30)

static void finish(struct atomic_directory *d)
{
	free(d->place);
	free(d->path);
	*d = (struct atomic_directory){0};
}

/* A dangling symbolic link exists, too. */
static bool is_there(const char *path)
{
	struct stat st;
	return lstat(path, &st) == 0;
}

char *atomic_directory_begin(struct atomic_directory *d, const char *place)
{
	char *problem = NULL;
	size_t len = strlen(place);
	while (len > 1 && place[len - 1] == '/') {
		len--; /* "a/b/" and "a/b" are one place */
	}
	*d = (struct atomic_directory){0};
	d->place = xasprintf("%.*s", (int)len, place);
	d->path = xasprintf("%s.unfinished", d->place);
	if (is_there(d->place)) {
		problem = xasprintf("%s exists already", d->place);
	} else if (is_there(d->path)) {
		problem = xasprintf("%s is left over from an earlier attempt; delete it", d->path);
	} else {
		problem = outfile_check("out", d->place, NULL);
	}
	if (problem) {
		finish(d);
	}
	return problem;
}

char *atomic_directory_begin_over(struct atomic_directory *d, const char *place)
{
	char *problem = NULL;
	*d = (struct atomic_directory){.place = realpath(place, NULL)};
	if (!d->place) {
		return xasprintf("%s cannot be found: %s", place, strerror(errno));
	}
	d->path = xasprintf("%s.unfinished", d->place);
	if (is_there(d->path)) {
		problem = xasprintf("%s is left over from an earlier attempt; delete it", d->path);
		finish(d);
	}
	return problem;
}

int atomic_directory_copy_file(const char *from, const char *to)
{
	int in = open(from, O_RDONLY | O_CLOEXEC);
	if (in < 0) {
		return -errno;
	}
	/* A file that already exists there belongs to this draft. */
	int out = open(to, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	ssize_t n = out < 0 ? -1 : 0;
	while (out >= 0 && (n = sendfile(out, in, NULL, COPY_SIZE)) > 0) {
	}
	int r = n < 0 || fsync(out) < 0 ? -errno : 0;
	close(in);
	if (out >= 0 && close(out) < 0 && r == 0) {
		r = -errno;
	}
	return r;
}

char *atomic_directory_copy(const struct atomic_directory *d, const char *dir, const char *name)
{
	char *from = xasprintf("%s/%s", dir, name), *to = xasprintf("%s/%s", d->path, name);
	struct stat st;
	int r = lstat(from, &st) < 0 ? -errno : S_ISREG(st.st_mode) ? 0 : -EINVAL;
	r = r < 0 ? r : atomic_directory_copy_file(from, to);
	char *problem =
	        r == -EINVAL ? xasprintf("%s is not a file; move it elsewhere first", from)
	        : r < 0 ? xasprintf("%s cannot be copied to %s: %s", from, d->path, strerror(-r))
	                : NULL;
	free(from);
	free(to);
	return problem;
}

static int sync_dir(const char *dir)
{
	int fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	int r = fd < 0 || fsync(fd) < 0 ? -errno : 0;
	if (fd >= 0) {
		close(fd);
	}
	return r;
}

/* Syncs the parent directory of the path. */
static int sync_above(const char *path)
{
	const char *slash = strrchr(path, '/');
	char *above = slash ? xasprintf("%.*s", (int)(slash - path) + 1, path) : xstrdup(".");
	int r = sync_dir(above);
	free(above);
	return r;
}

static int change_places(const struct atomic_directory *d)
{
	int r = renameat2(AT_FDCWD, d->path, AT_FDCWD, d->place, RENAME_EXCHANGE);
	return r < 0 ? -errno : 0;
}

char *atomic_directory_exchange(struct atomic_directory *d)
{
	int r = sync_dir(d->path);
	r = r < 0 ? r : change_places(d);
	if (r == -EINVAL || r == -ENOSYS) {
		return xasprintf(
		        "the file system of %s cannot swap two directories; give --out", d->place);
	}
	if (r == 0 && (r = sync_above(d->place)) < 0 && change_places(d) < 0) {
		/* The new directory may not be on the disk, so the old one, now at d->path, may
		 * be the only copy. */
		d->stays = true;
		return xasprintf("%s is written, but may not be on the disk yet: %s; the old "
		                 "directory is at %s",
		        d->place, strerror(-r), d->path);
	}
	return r < 0 ? xasprintf("%s cannot be moved to %s: %s", d->path, d->place, strerror(-r))
	             : NULL;
}

char *atomic_directory_keep(struct atomic_directory *d)
{
	char *problem = NULL;
	int r = sync_dir(d->path);
	if (r == 0) {
		r = rename(d->path, d->place) < 0 ? -errno : sync_above(d->place);
	}
	if (r < 0) {
		problem = xasprintf(
		        "%s cannot be renamed to %s: %s", d->path, d->place, strerror(-r));
		atomic_directory_drop(d);
		return problem;
	}
	finish(d);
	return NULL;
}

void atomic_directory_drop(struct atomic_directory *d)
{
	int fd = d->stays ? -1 : open(d->path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	for (const struct dirent *e; dir && (e = readdir(dir));) {
		unlinkat(dirfd(dir), e->d_name, 0); /* fails for . and .., which is harmless */
	}
	if (dir) {
		closedir(dir);
		rmdir(d->path);
	} else if (fd >= 0) {
		close(fd);
	}
	finish(d);
}
