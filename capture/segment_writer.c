#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "base/mem.h"
#include "capture/seal.h"
#include "capture/segment.h"
#include "capture/segment_env.h"
#include "capture/segment_file.h"

#define FULL_BYTES ((uint64_t)1 << 20) /* more than LMDB writes in one call */

struct segment_writer {
	struct segment_env *env;
	MDB_txn *txn; /* open between begin and commit or abort */
	struct id id;
	char *dir;
	int lock_fd; /* of ID.writer, flock()ed */
	size_t page_size;
};

/* Creates a file of `size` bytes with all its blocks allocated on disk. */
static int make_file(const char *dir, struct id id, const char *suffix, size_t size)
{
	char *path = segment_path(dir, id, suffix);
	int fd;
	int r = segment_make_file(path, &fd);
	if (r == 0) {
		do {
			r = size ? -posix_fallocate(fd, 0, (off_t)size) : 0;
		} while (r == -EINTR);
		close(fd);
	}
	free(path);
	return r;
}

/* Takes the writer's lock. The kernel releases it even if the process is killed. */
static int take_lock(const char *dir, struct id id, int *ret_fd)
{
	char *path = segment_path(dir, id, "writer");
	int fd;
	int r = segment_make_file(path, &fd);
	free(path);
	if (r < 0) {
		return r;
	}
	if (flock(fd, LOCK_EX | LOCK_NB) < 0) {
		r = -errno;
		close(fd);
		return r;
	}
	*ret_fd = fd;
	return 0;
}

int segment_create(const char *dir, size_t map_size, bool durable, struct segment_writer **ret)
{
	struct segment_writer *w = xcalloc(1, sizeof(*w));
	*w = (struct segment_writer){
	        .id = id_make(),
	        .dir = xstrdup(dir),
	        .lock_fd = -1,
	};
	/* The lock is taken first, so that no reader ever sees the data file without its writer. */
	int r = take_lock(dir, w->id, &w->lock_fd);
	/* LMDB would create these two files with the mode that the umask leaves. It also writes
	 * to its lock file through a map: if the disk has no room for that file, the process is
	 * killed (SIGBUS) instead of getting an error. */
	if (r == 0) {
		r = make_file(dir, w->id, "seg-lock", SEGMENT_LOCK_SIZE);
	}
	if (r == 0) {
		r = make_file(dir, w->id, "seg", 0);
	}
	if (r == 0) {
		char *path = segment_path(dir, w->id, "seg");
		r = segment_env_make(path, map_size, durable, &w->env);
		free(path);
	}
	if (r == 0) {
		r = segment_sync_dir(dir);
	}
	if (r < 0) {
		segment_discard(w);
		return r;
	}
	expect(w->env);
	MDB_stat stat;
	mdb_env_stat(w->env->env, &stat);
	w->page_size = stat.ms_psize;
	*ret = w;
	return 0;
}

struct id segment_writer_id(const struct segment_writer *w)
{
	return w->id;
}

int segment_begin(struct segment_writer *w)
{
	expect(!w->txn);
	return segment_errno(mdb_txn_begin(w->env->env, NULL, 0, &w->txn));
}

int segment_put(struct segment_writer *w, enum segment_table t, struct span key, struct span value)
{
	expect(w->txn && (unsigned)t < N_TABLES);
	MDB_val k = segment_val(key), v = segment_val(value);
	unsigned flags = t == TABLE_LOG ? MDB_APPEND : 0;
	return segment_errno(mdb_put(w->txn, w->env->tables[t], &k, &v, flags));
}

int segment_commit(struct segment_writer *w)
{
	expect(w->txn);
	MDB_txn *txn = w->txn;
	w->txn = NULL;
	int r = segment_errno(mdb_txn_commit(txn));
	/* LMDB reports a short write as EIO, also if the cause is a full disk. */
	struct statvfs disk;
	bool full = r == -EIO && statvfs(w->dir, &disk) == 0 &&
	            disk.f_bavail * disk.f_frsize < FULL_BYTES;
	return full ? -ENOSPC : r;
}

void segment_abort(struct segment_writer *w)
{
	expect(w->txn);
	mdb_txn_abort(w->txn);
	w->txn = NULL;
}

bool segment_in_place(const struct segment_writer *w)
{
	struct stat st;
	char *path = segment_path(w->dir, w->id, "seg");
	bool found = stat(path, &st) == 0;
	bool absent = !found && (errno == ENOENT || errno == ENOTDIR);
	free(path);
	return found ? st.st_dev == w->env->device && st.st_ino == w->env->inode : !absent;
}

size_t segment_used(const struct segment_writer *w)
{
	MDB_envinfo info;
	mdb_env_info(w->env->env, &info);
	return (info.me_last_pgno + 1) * w->page_size;
}

static void destroy(struct segment_writer *w)
{
	if (w->txn) {
		mdb_txn_abort(w->txn);
	}
	segment_env_unref(w->env);
	if (w->lock_fd >= 0) {
		close(w->lock_fd);
	}
	free(w->dir);
	free(w);
}

static void remove_file(const struct segment_writer *w, const char *suffix)
{
	char *path = segment_path(w->dir, w->id, suffix);
	unlink(path);
	free(path);
}

int segment_seal(struct segment_writer *w)
{
	if (w->txn) {
		segment_abort(w);
	}
	int r = segment_errno(mdb_env_sync(w->env->env, 1));
	if (r == 0) {
		r = seal_write(w->dir, w->id);
	}
	if (r == 0) {
		/* The lock file is no longer needed: the seal is on disk, so that readers do not
		 * use locks. */
		remove_file(w, "seg-lock");
		remove_file(w, "writer");
	}
	destroy(w);
	return r;
}

void segment_discard(struct segment_writer *w)
{
	if (!w) {
		return;
	}
	segment_remove_files(w->dir, w->id);
	destroy(w);
}

void segment_writer_destroy(struct segment_writer *w)
{
	if (w) {
		destroy(w);
	}
}
