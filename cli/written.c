#include "cli/written.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

static uint64_t size_of_files(DIR *dir)
{
	uint64_t bytes = 0;
	struct stat st;
	for (const struct dirent *e; (e = readdir(dir));) {
		bool is_file = fstatat(dirfd(dir), e->d_name, &st, AT_SYMLINK_NOFOLLOW) == 0 &&
		               S_ISREG(st.st_mode);
		/* A segment that is being written has holes. */
		bytes += is_file ? (uint64_t)MIN(st.st_size, st.st_blocks * 512) : 0;
	}
	return bytes;
}

uint64_t written_size(const char *path)
{
	struct stat st;
	DIR *dir = opendir(path);
	if (!dir) {
		return stat(path, &st) == 0 ? (uint64_t)st.st_size : 0;
	}
	uint64_t bytes = size_of_files(dir);
	closedir(dir);
	return bytes;
}

/* Appends "12 kB" or "1.2 MB". */
static void put_size(struct buf *to, uint64_t bytes)
{
	static const char *const UNITS[] = {"kB", "MB", "GB", "TB"};
	double size = (double)bytes / 1000;
	size_t unit = 0;
	for (; size >= 1000 && unit + 1 < ARRAY_LEN(UNITS); unit++) {
		size /= 1000;
	}
	buf_printf(to, "%.*f %s", size < 10 ? 1 : 0, size, UNITS[unit]);
}

/* Fuller contents have smaller numbers. */
enum content written_content(struct capture *c)
{
	struct capture_exchange e;
	enum content fullest = 0;
	capture_rewind(c);
	while (fullest != CONTENT_FULL && capture_next(c, &e) == 1) {
		enum content of_exchange = e.absent ? CONTENT_FULL : e.row.content;
		fullest = fullest ? MIN(fullest, of_exchange) : of_exchange;
		capture_exchange_finish(&e);
	}
	capture_rewind(c);
	return fullest;
}

void written_print(const char *command, const char *path, const char *texts)
{
	struct buf size = {0};
	put_size(&size, written_size(path));
	fprintf(stderr, "plumbline %s: wrote %s (%s, %s)\n", command, path, buf_cstr(&size), texts);
	buf_finish(&size);
}

void written_print_capture(const char *command, const char *dir)
{
	static const char *const TEXTS[] = {
	        [0] = WRITTEN_NO_TEXTS,
	        [CONTENT_FULL] = "contains prompts and answers",
	        [CONTENT_REDACTED] = "contains redacted prompts and answers",
	        [CONTENT_METADATA] = WRITTEN_NO_TEXTS,
	};
	char *error = NULL;
	struct capture *c = capture_open(&dir, 1, &error);
	if (c) {
		written_print(command, dir, TEXTS[written_content(c)]);
	}
	capture_close(c);
	free(error);
}
