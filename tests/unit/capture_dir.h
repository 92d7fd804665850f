#pragma once
/*
 * capture_dir - makes a temporary directory for a test, and reads the segments that the test writes
 * to it.
 */
#include <criterion/criterion.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"
#include "capture/segment.h"

static inline char *capture_dir_make(void)
{
	const char *base = getenv("TMPDIR");
	char *dir = xasprintf("%s/plumbline-test-XXXXXX", base ? base : "/tmp");
	cr_assert_not_null(mkdtemp(dir));
	return dir;
}

/* Removes the directory and the files in it, and frees dir. */
static inline void capture_dir_remove(char *dir)
{
	DIR *d = opendir(dir);
	const struct dirent *entry;
	while (d && (entry = readdir(d))) {
		if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0) {
			char *path = xasprintf("%s/%s", dir, entry->d_name);
			unlink(path);
			free(path);
		}
	}
	if (d) {
		closedir(d);
	}
	rmdir(dir);
	free(dir);
}

static inline size_t capture_dir_segments(const char *dir, struct id **ret)
{
	size_t n;
	cr_assert_eq(segment_list(dir, ret, &n), 0);
	return n;
}

static inline size_t capture_dir_count(const char *dir)
{
	struct id *ids;
	size_t n = capture_dir_segments(dir, &ids);
	free(ids);
	return n;
}

/* Calls fn with every row of a table in all segments, the oldest segment first. */
typedef void (*capture_dir_fn)(void *arg, size_t segment, struct span key, struct span value);

static inline void capture_dir_each(
        const char *dir, enum segment_table t, capture_dir_fn fn, void *arg)
{
	struct id *ids;
	size_t n = capture_dir_segments(dir, &ids);
	for (size_t i = 0; i < n; i++) {
		struct segment_reader *r;
		cr_assert_eq(segment_open(dir, ids[i], &r), 0);
		char last[SEGMENT_KEY_LIMIT];
		struct span from = {0}, key, value;
		while (segment_seek(r, t, from, true, &key, &value) == 0) {
			fn(arg, i, key, value);
			memcpy(last, key.data, key.len);
			from = (struct span){last, key.len};
		}
		segment_close(r);
	}
	free(ids);
}

static inline void capture_dir_count_row(
        void *arg, size_t segment, struct span key, struct span value)
{
	++*(size_t *)arg;
}

static inline size_t capture_dir_rows(const char *dir, enum segment_table t)
{
	size_t n = 0;
	capture_dir_each(dir, t, capture_dir_count_row, &n);
	return n;
}
