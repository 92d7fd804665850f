#include "replay/resume.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "base/mem.h"
#include "capture/keyset.h"

#define FILE_MAGIC "plumbline-sent-1"
#define HEAD_SIZE 32
#define KEY_SIZE 20

enum { KIND_RECORDED = 1, KIND_EXCHANGE, KIND_NOTED };

/* The entries follow a header with magic and run. All is little-endian. */
struct entry {
	uint8_t exchange[16];
	uint32_t repeat;
	uint32_t state;
};

struct resume {
	int fd;
	char *path;
	struct id run;
	struct keyset keys;
	struct entry *entries; /* of earlier processes */
	size_t n_entries;
	uint64_t lost;
};

static struct span key_of(char to[KEY_SIZE], struct id exchange, uint32_t repeat)
{
	memcpy(to, exchange.bytes, 16);
	memcpy(to + 16, &repeat, sizeof(repeat));
	return (struct span){to, KEY_SIZE};
}

static char *refuse(const char *path, const char *why)
{
	return xasprintf("%s, the list of requests that were sent, %s", path, why);
}

static int write_header(struct resume *s, const struct id *run)
{
	char head[HEAD_SIZE];
	s->run = run ? *run : id_make();
	memcpy(head, FILE_MAGIC, 16);
	memcpy(head + 16, s->run.bytes, 16);
	if (ftruncate(s->fd, 0) < 0 || lseek(s->fd, 0, SEEK_SET) < 0) {
		return -errno;
	}
	return write(s->fd, head, sizeof(head)) == (ssize_t)sizeof(head) ? 0 : -EIO;
}

/* Reads the existing file. Removes an incomplete last entry, which a crash interrupted. */
static int read_entries(struct resume *s, off_t size)
{
	char head[HEAD_SIZE];
	if (pread(s->fd, head, sizeof(head), 0) != (ssize_t)sizeof(head) ||
	        memcmp(head, FILE_MAGIC, 16) != 0) {
		return -EBADMSG;
	}
	memcpy(s->run.bytes, head + 16, 16);
	s->n_entries = (size_t)(size - HEAD_SIZE) / sizeof(struct entry);
	size_t bytes = s->n_entries * sizeof(struct entry);
	s->entries = xmalloc(bytes + 1);
	if (pread(s->fd, s->entries, bytes, HEAD_SIZE) != (ssize_t)bytes) {
		return -EIO;
	}
	off_t end = (off_t)(HEAD_SIZE + bytes);
	return ftruncate(s->fd, end) < 0 || lseek(s->fd, end, SEEK_SET) < 0 ? -errno : 0;
}

/* Whether the file is of the wanted run, or has no valid header. */
static bool belongs_to(const struct resume *s, const struct id *run)
{
	char head[HEAD_SIZE];
	bool whole = pread(s->fd, head, sizeof(head), 0) == (ssize_t)sizeof(head);
	return !run || !whole || memcmp(head, FILE_MAGIC, 16) != 0 ||
	       memcmp(head + 16, run->bytes, 16) == 0;
}

static char *open_file(struct resume *s, const struct id *run, bool again)
{
	s->fd = open(s->path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	if (s->fd < 0) {
		return xasprintf("%s can't be opened: %s", s->path, strerror(errno));
	}
	if (flock(s->fd, LOCK_EX | LOCK_NB) < 0) {
		return refuse(s->path, "is in use by another running replay");
	}
	off_t size = lseek(s->fd, 0, SEEK_END);
	bool anew = size < HEAD_SIZE || again || !belongs_to(s, run);
	int r = anew ? write_header(s, run) : read_entries(s, size);
	if (r == -EBADMSG) {
		return refuse(s->path, "is not a file of plumbline: move it away");
	}
	return r < 0 ? xasprintf("%s: %s", s->path, strerror(-r)) : NULL;
}

struct resume *resume_open(
        const char *dir, const char *key, const struct id *run, bool again, char **ret_error)
{
	struct resume *s = xcalloc(1, sizeof(*s));
	s->path = xasprintf("%s/replay-%s.sent", dir, key);
	char *error = open_file(s, run, again);
	if (error) {
		*ret_error = error;
		resume_close(s);
		return NULL;
	}
	return s;
}

bool resume_find_run(const char *dir, const char *key, struct id *ret)
{
	char head[HEAD_SIZE], *path = xasprintf("%s/replay-%s.sent", dir, key);
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	bool found = fd >= 0 && pread(fd, head, sizeof(head), 0) == (ssize_t)sizeof(head) &&
	             memcmp(head, FILE_MAGIC, 16) == 0;
	if (found) {
		memcpy(ret->bytes, head + 16, 16);
	}
	if (fd >= 0) {
		close(fd);
	}
	free(path);
	return found;
}

void resume_drop_empty(struct resume *s)
{
	if (lseek(s->fd, 0, SEEK_END) <= HEAD_SIZE) {
		unlink(s->path);
	}
}

void resume_close(struct resume *s)
{
	if (!s) {
		return;
	}
	if (s->fd >= 0) {
		close(s->fd);
	}
	keyset_finish(&s->keys);
	free(s->entries);
	free(s->path);
	free(s);
}

struct id resume_run(const struct resume *s)
{
	return s->run;
}

bool resume_is_resumed(const struct resume *s)
{
	return s->n_entries > 0;
}

static void count_lost(struct resume *s)
{
	char key[KEY_SIZE];
	struct keyset seen = {0};
	for (size_t i = s->n_entries; i > 0; i--) { /* for each send the last entry counts */
		const struct entry *e = &s->entries[i - 1];
		struct id exchange;
		memcpy(exchange.bytes, e->exchange, sizeof(exchange.bytes));
		struct span k = key_of(key, exchange, e->repeat);
		bool first = keyset_add(&seen, KIND_NOTED, k);
		s->lost +=
		        first && e->state == RESUME_SENT && !keyset_has(&s->keys, KIND_RECORDED, k);
	}
	keyset_finish(&seen);
}

static bool is_leg_of_run(const struct resume *s, const struct leg_row *leg, const char *backend)
{
	return id_compare(leg->run, s->run) == 0 && leg->outcome != OUTCOME_STOPPED &&
	       (!backend || (leg->backend && strcmp(leg->backend, backend) == 0));
}

void resume_read(struct resume *s, struct capture *c, const char *backend)
{
	struct capture_exchange e;
	char key[KEY_SIZE];
	capture_rewind(c);
	while (capture_next(c, &e) == 1) {
		if (!e.absent) {
			keyset_add(&s->keys, KIND_EXCHANGE, key_of(key, e.row.id, 0));
		}
		for (size_t i = 0; i < e.n_legs; i++) {
			const struct leg_row *leg = &e.legs[i].row;
			if (is_leg_of_run(s, leg, backend)) {
				keyset_add(&s->keys, KIND_RECORDED,
				        key_of(key, leg->exchange, leg->repeat));
			}
		}
		capture_exchange_finish(&e);
	}
	count_lost(s);
}

bool resume_has(const struct resume *s, struct id exchange, uint32_t repeat)
{
	char key[KEY_SIZE];
	return keyset_has(&s->keys, KIND_RECORDED, key_of(key, exchange, repeat));
}

bool resume_knows(const struct resume *s, struct id exchange)
{
	char key[KEY_SIZE];
	return keyset_has(&s->keys, KIND_EXCHANGE, key_of(key, exchange, 0));
}

uint64_t resume_lost(const struct resume *s)
{
	return s->lost;
}

int resume_add(struct resume *s, struct id exchange, uint32_t repeat, enum resume_entry state)
{
	struct entry e = {.repeat = repeat, .state = state};
	memcpy(e.exchange, exchange.bytes, sizeof(e.exchange));
	ssize_t n = write(s->fd, &e, sizeof(e));
	return n == (ssize_t)sizeof(e) ? 0 : n < 0 ? -errno : -ENOSPC;
}
