#pragma once
/*
 * segment_env - LMDB environments of segments, which a process opens once and all users share.
 *
 * For the segment module only: segment_env.c, segment_writer.c and segment_reader.c are the only
 * files that include lmdb.h. Any thread.
 */
#include <lmdb.h>

#include "base/buf.h"
#include "base/id.h"
#include "capture/segment.h"

/* Size in bytes of a lock file that a writer creates: its header, and slots for all readers. */
#define SEGMENT_LOCK_SIZE ((size_t)64 << 10)

struct segment_env {
	struct segment_env *next;
	unsigned refs;
	uint64_t device, inode; /* of the file ID.seg: they identify it, also if it has two names */
	MDB_env *env;
	MDB_dbi tables[N_TABLES];
	bool locked; /* opened with LMDB's lock file */
};

/* Converts an LMDB code or an errno to a negative errno. */
int segment_errno(int code);

/* For writers: creates the file and its tables. */
int segment_env_make(
        const char *path, size_t map_size, bool durable, struct segment_env **ret) MUST_CHECK;
/* For readers: shares an environment that this process has open, else opens it, with LMDB's lock
 * file if `locked`. -ENODATA: the file is empty or has no tables. */
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
