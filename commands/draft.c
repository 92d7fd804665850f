#include "commands/draft.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/check.h"

/* "a/b/" and "a/b" are one place. */
static char *without_slashes(const char *place)
{
	size_t n = strlen(place);
	while (n > 1 && place[n - 1] == '/') {
		n--;
	}
	return xasprintf("%.*s", (int)n, place);
}

static void finish(struct draft *d)
{
	free(d->place);
	free(d->path);
	*d = (struct draft){0};
}

char *draft_begin(struct draft *d, const char *place)
{
	char *problem = NULL;
	d->place = without_slashes(place);
	d->path = xasprintf("%s.unfinished", d->place);
	if (access(d->place, F_OK) == 0) {
		problem = xasprintf("%s exists already", d->place);
	} else if (access(d->path, F_OK) == 0) {
		problem = xasprintf("%s is left of an earlier attempt; delete it", d->path);
	}
	if (problem) {
		finish(d);
	}
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

/* The directory that a path's last name stands in. */
static int sync_above(const char *path)
{
	const char *slash = strrchr(path, '/');
	char *above = slash ? xasprintf("%.*s", (int)(slash - path) + 1, path) : xstrdup(".");
	int r = sync_dir(above);
	free(above);
	return r;
}

char *draft_keep(struct draft *d)
{
	char *problem = NULL;
	int r = sync_dir(d->path);
	if (r == 0) {
		r = rename(d->path, d->place) < 0 ? -errno : sync_above(d->place);
	}
	if (r < 0) {
		problem = xasprintf(
		        "%s cannot be renamed to %s: %s", d->path, d->place, strerror(-r));
		draft_drop(d);
		return problem;
	}
	finish(d);
	return NULL;
}

void draft_drop(struct draft *d)
{
	DIR *dir = opendir(d->path);
	for (const struct dirent *e; dir && (e = readdir(dir));) {
		unlinkat(dirfd(dir), e->d_name, 0); /* of . and .. it refuses */
	}
	if (dir) {
		closedir(dir);
	}
	rmdir(d->path);
	finish(d);
}
