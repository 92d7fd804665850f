#pragma once
/*
 * segment_env - LMDB environments of segments, opened once a process and shared by all who use
 * them.
 *
 * Internal to the segment module: segment_env.c, segment_writer.c and segment_reader.c are the only
 * files that include lmdb.h. Any thread.
 */
#include <lmdb.h>

#include "base/buf.h"
#include "base/id.h"
#include "capture/segment.h"

/* Of a lock file as a writer makes it: places for all readers, and what comes before them. */
#define SEGMENT_LOCK_SIZE ((size_t)64 << 10)

struct segment_env {
	struct segment_env *next;
	unsigned refs;
	uint64_t device, inode; /* of ID.seg: the same file by two names is the same environment */
	MDB_env *env;
	MDB_dbi tables[N_TABLES];
	bool locked; /* with LMDB's lock file */
};

/* An LMDB code or errno as a negative errno. */
int segment_errno(int code);

/* The writer's way: makes the tables in a new file. */
int segment_env_make(
        const char *path, size_t map_size, bool durable, struct segment_env **ret) MUST_CHECK;
/* The reader's way: shares an environment that this process has open, else opens it. */
int segment_env_open(const char *path, bool locked, struct segment_env **ret) MUST_CHECK;
void segment_env_unref(struct segment_env *e);

static inline MDB_val segment_val(struct span s)
{
	return (MDB_val){.mv_size = s.len, .mv_data = (void *)s.data};
}

static inline struct span segment_span(MDB_val v)
{
	return (struct span){v.mv_data, v.mv_size};
}
