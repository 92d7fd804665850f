#include "capture/segment_env.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "base/mem.h"

#define READERS_LIMIT 512
/* LMDB gives each reader's slot a cache line of its own. */
_Static_assert(
        SEGMENT_LOCK_SIZE >= 2 * 64 * READERS_LIMIT, "LMDB makes a shorter lock file longer");

/* All environments of the process. LMDB's locks break if a process opens a file twice. */
static pthread_mutex_t registry_lock = PTHREAD_MUTEX_INITIALIZER;
static struct segment_env *registry;

int segment_errno(int code)
{
	switch (code) {
	case MDB_SUCCESS:
		return 0;
	case MDB_KEYEXIST:
		return -EEXIST;
	case MDB_NOTFOUND:
		return -ENOENT;
	case MDB_MAP_FULL:
	case MDB_TXN_FULL:
		return -ENOSPC;
	case MDB_READERS_FULL:
		return -EBUSY;
	case MDB_BAD_VALSIZE:
		return -EINVAL;
	case MDB_PAGE_NOTFOUND:
	case MDB_CORRUPTED:
	case MDB_VERSION_MISMATCH:
	case MDB_INVALID:
	case MDB_INCOMPATIBLE:
	case MDB_BAD_DBI:
	case MDB_CURSOR_FULL:
	case MDB_PAGE_FULL:
	case MDB_MAP_RESIZED:
		return -EBADMSG;
	default:
		return code > 0 ? -code : -EIO;
	}
}

/* Opens the tables, and creates them if create is set. The handles stay valid as long as the
 * environment does. */
static int open_tables(struct segment_env *e, bool create)
{
	MDB_txn *txn;
	int code = mdb_txn_begin(e->env, NULL, create ? 0 : MDB_RDONLY, &txn);
	if (code) {
		return segment_errno(code);
	}
	for (int t = 0; t < N_TABLES; t++) {
		code = mdb_dbi_open(
		        txn, segment_table_name(t), create ? MDB_CREATE : 0, &e->tables[t]);
		if (code) {
			mdb_txn_abort(txn);
			return code == MDB_NOTFOUND ? -ENODATA : segment_errno(code);
		}
	}
	return segment_errno(mdb_txn_commit(txn));
}

static int open_env(const char *path, unsigned flags, size_t map_size, MDB_env **ret)
{
	MDB_env *env = NULL;
	int code = mdb_env_create(&env);
	if (code) {
		return segment_errno(code);
	}
	mdb_env_set_maxdbs(env, N_TABLES);
	mdb_env_set_maxreaders(env, READERS_LIMIT);
	if (map_size) {
		mdb_env_set_mapsize(env, map_size);
	}
	code = mdb_env_open(env, path, MDB_NOSUBDIR | MDB_NOTLS | flags, 0600);
	if (code) {
		mdb_env_close(env);
		return segment_errno(code);
	}
	*ret = env;
	return 0;
}

/* Called with the lock held: LMDB must not open the same file or table in two threads at once. */
static int register_env(
        const char *path, MDB_env *env, bool locked, bool create, struct segment_env **ret)
{
	struct stat st;
	if (stat(path, &st) < 0) {
		int r = -errno;
		mdb_env_close(env);
		return r;
	}
	struct segment_env *e = xcalloc(1, sizeof(*e));
	*e = (struct segment_env){
	        .refs = 1,
	        .device = st.st_dev,
	        .inode = st.st_ino,
	        .env = env,
	        .locked = locked,
	};
	int r = open_tables(e, create);
	if (r < 0) {
		mdb_env_close(env);
		free(e);
		return r;
	}
	e->next = registry;
	registry = e;
	*ret = e;
	return 0;
}

int segment_env_make(const char *path, size_t map_size, bool durable, struct segment_env **ret)
{
	pthread_mutex_lock(&registry_lock);
	MDB_env *env = NULL;
	int r = open_env(path, durable ? 0 : MDB_NOMETASYNC, map_size, &env);
	if (r == 0) {
		r = register_env(path, env, true, true, ret);
	}
	pthread_mutex_unlock(&registry_lock);
	return r;
}

static struct segment_env *find(const struct stat *st)
{
	for (struct segment_env *e = registry; e; e = e->next) {
		if (e->device == st->st_dev && e->inode == st->st_ino) {
			return e;
		}
	}
	return NULL;
}

static int open_shared(const char *path, bool locked, struct segment_env **ret)
{
	struct stat st;
	if (stat(path, &st) < 0) {
		return -errno;
	}
	struct segment_env *e = find(&st);
	if (e) {
		e->refs++;
		*ret = e;
		return 0;
	}
	if (!S_ISREG(st.st_mode)) {
		return -EINVAL;
	}
	if (st.st_size == 0) {
		return -ENODATA;
	}
	MDB_env *env = NULL;
	int r = open_env(path, MDB_RDONLY | (locked ? 0 : MDB_NOLOCK), 0, &env);
	if (r < 0) {
		return r;
	}
	if (locked) {
		int dead;
		(void)mdb_reader_check(env, &dead);
	}
	return register_env(path, env, locked, false, ret);
}

int segment_env_open(const char *path, bool locked, struct segment_env **ret)
{
	pthread_mutex_lock(&registry_lock);
	int r = open_shared(path, locked, ret);
	pthread_mutex_unlock(&registry_lock);
	return r;
}

void segment_env_unref(struct segment_env *e)
{
	if (!e) {
		return;
	}
	pthread_mutex_lock(&registry_lock);
	expect(e->refs > 0);
	if (--e->refs == 0) {
		struct segment_env **p = &registry;
		while (*p != e) {
			p = &(*p)->next;
		}
		*p = e->next;
		mdb_env_close(e->env);
		free(e);
	}
	pthread_mutex_unlock(&registry_lock);
}
