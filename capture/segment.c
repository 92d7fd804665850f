/*
 * The parts of a segment that do not need LMDB: names, keys, and which writer owns it.
 * segment_env.c manages the environments; segment_writer.c and segment_reader.c use them.
 */
#include "capture/segment.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"
#include "capture/segment_file.h"

static const char *const table_names[] = {
        [TABLE_META] = "meta",
        [TABLE_EXCHANGE] = "exchange",
        [TABLE_LEG] = "leg",
        [TABLE_PART] = "part",
        [TABLE_LOG] = "log",
        [TABLE_BY_TIME] = "by_time",
        [TABLE_BY_BACKEND] = "by_backend",
        [TABLE_BY_MODEL] = "by_model",
        [TABLE_BY_PROMPT] = "by_prompt",
};

_Static_assert(ARRAY_LEN(table_names) == N_TABLES, "every table has a name");

const char *segment_table_name(enum segment_table t)
{
	expect((unsigned)t < N_TABLES);
	return table_names[t];
}

char *segment_path(const char *dir, struct id id, const char *suffix)
{
	char text[ID_TEXT_SIZE];
	return xasprintf("%s/%s.%s", dir, id_format(id, text), suffix);
}

static void append_big_endian(struct buf *to, uint64_t value, unsigned bytes)
{
	for (unsigned i = bytes; i-- > 0;) {
		buf_append_char(to, (char)(value >> (8 * i)));
	}
}

static void append_id(struct buf *to, struct id id)
{
	buf_append(to, id.bytes, sizeof(id.bytes));
}

void segment_key_exchange(struct buf *to, struct id exchange)
{
	buf_clear(to);
	append_id(to, exchange);
}

void segment_key_leg(struct buf *to, struct id exchange, struct id leg)
{
	buf_clear(to);
	append_id(to, exchange);
	append_id(to, leg);
}

void segment_key_part(struct buf *to, struct id owner, uint8_t type, uint32_t n)
{
	buf_clear(to);
	append_id(to, owner);
	buf_append_char(to, (char)type);
	append_big_endian(to, n, 4);
}

void segment_key_number(struct buf *to, uint64_t number)
{
	buf_clear(to);
	append_big_endian(to, number, 8);
}

bool segment_number_of(struct span key, uint64_t *ret)
{
	uint64_t number = 0;
	for (size_t i = 0; i < key.len; i++) {
		number = number << 8 | (uint8_t)key.data[i];
	}
	*ret = number;
	return key.len == sizeof(number);
}

void segment_key_by_time(struct buf *to, uint64_t wall_ns, struct id exchange)
{
	buf_clear(to);
	append_big_endian(to, wall_ns, 8);
	append_id(to, exchange);
}

void segment_key_by_name(struct buf *to, const char *name, struct id exchange, const struct id *leg)
{
	buf_clear(to);
	buf_append(to, name, strnlen(name, SEGMENT_NAME_LIMIT));
	buf_append_char(to, '\0');
	append_id(to, exchange);
	if (leg) {
		append_id(to, *leg);
	}
}

void segment_key_by_prompt(struct buf *to, const uint8_t hash[16], struct id exchange)
{
	buf_clear(to);
	buf_append(to, hash, 16);
	append_id(to, exchange);
}

static int compare_ids(const void *a, const void *b)
{
	return id_compare(*(const struct id *)a, *(const struct id *)b);
}

/* "ID.seg" and nothing else; id_parse() alone would also take an id without its dashes. */
static bool is_segment_name(const char *name, struct id *ret_id)
{
	char text[ID_TEXT_SIZE];
	size_t length = ID_TEXT_SIZE - 1;
	if (strlen(name) != length + strlen(".seg") || strcmp(name + length, ".seg") != 0) {
		return false;
	}
	memcpy(text, name, length);
	text[length] = '\0';
	return id_parse(text, ret_id);
}

int segment_list(const char *dir, struct id **ret, size_t *ret_n)
{
	DIR *d = opendir(dir);
	if (!d) {
		return -errno;
	}
	struct buf ids = {0};
	int r = 0;
	for (;;) {
		errno = 0;
		const struct dirent *entry = readdir(d);
		if (!entry) {
			r = -errno;
			break;
		}
		struct id id;
		if (is_segment_name(entry->d_name, &id)) {
			append_id(&ids, id);
		}
	}
	closedir(d);
	if (r < 0) {
		buf_finish(&ids);
		return r;
	}
	*ret_n = ids.len / sizeof(struct id);
	if (*ret_n) {
		qsort(ids.data, *ret_n, sizeof(struct id), compare_ids);
	}
	*ret = (struct id *)ids.data;
	return 0;
}

static bool exists(const char *dir, struct id id, const char *suffix)
{
	char *path = segment_path(dir, id, suffix);
	bool found = access(path, F_OK) == 0;
	free(path);
	return found;
}

enum segment_state segment_state(const char *dir, struct id id)
{
	if (exists(dir, id, "seal")) {
		return SEGMENT_SEALED;
	}
	char *path = segment_path(dir, id, "writer");
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	free(path);
	enum segment_state state = SEGMENT_ORPHANED;
	if (fd >= 0) {
		/* flock() locks the open file description, so that this also detects a writer in
		 * this process. */
		if (flock(fd, LOCK_SH | LOCK_NB) < 0) {
			state = SEGMENT_LIVE;
		}
		close(fd);
	}
	/* The segment may have been sealed meanwhile: then the writer's file is gone or
	 * unlocked, and the seal exists. */
	return exists(dir, id, "seal") ? SEGMENT_SEALED : state;
}

int segment_sync_dir(const char *dir)
{
	int fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0) {
		return -errno;
	}
	int r = fsync(fd) < 0 ? -errno : 0;
	close(fd);
	return r;
}

int segment_make_file(const char *path, int *ret_fd)
{
	int fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (fd < 0) {
		return -errno;
	}
	/* Whatever the umask is: a mask of 0777 would lock the owner out too. */
	if (fchmod(fd, 0600) < 0) {
		int r = -errno;
		close(fd);
		unlink(path);
		return r;
	}
	*ret_fd = fd;
	return 0;
}

int segment_write_file(const char *path, struct span text)
{
	int fd = -1;
	int r = segment_make_file(path, &fd);
	if (r < 0) {
		return r;
	}
	ssize_t n = write(fd, text.data, text.len);
	if (n < 0 || fsync(fd) < 0) {
		r = -errno;
	} else if ((size_t)n != text.len) {
		r = -ENOSPC;
	}
	close(fd);
	if (r < 0) {
		unlink(path);
	}
	return r;
}

static void remove_file(const char *dir, struct id id, const char *suffix)
{
	char *path = segment_path(dir, id, suffix);
	unlink(path);
	free(path);
}

/* Removes the data file first. What a crash may leave behind is then small and belongs to no
 * segment. */
int segment_remove_files(const char *dir, struct id id)
{
	char *path = segment_path(dir, id, "seg");
	int r = unlink(path) < 0 ? -errno : 0;
	free(path);
	if (r < 0 && r != -ENOENT) {
		return r;
	}
	remove_file(dir, id, "seg-lock");
	remove_file(dir, id, "seal-new");
	remove_file(dir, id, "seal");
	remove_file(dir, id, "writer");
	return r;
}

int segment_remove(const char *dir, struct id id)
{
	if (segment_state(dir, id) == SEGMENT_LIVE) {
		return -EBUSY;
	}
	return segment_remove_files(dir, id);
}
