#pragma once
/*
 * compaction - rewrites a capture into as few segments as possible.
 *
 * It copies rows as stored, and keeps the meta rows of the old segments (capture_meta.h). It leaves
 * out what no reader needs: parts without a row, rows that an older segment has already, and empty
 * space in pages. It compresses parts that the recorder stored uncompressed under load.
 *
 * With reread, it makes a reading again from the raw bytes if the reading is missing or an older
 * version of the reader made it. Members of rows that repeat values of the reading are updated.
 *
 * The source does not change. compaction_run() refuses a capture that is damaged or has a running
 * writer. One thread; nobody else may write to either directory.
 */
#include <stdbool.h>
#include <stdint.h>

#include "base/check.h"

struct compaction_settings {
	const char *from;      /* the source */
	const char *to;        /* created; must not exist */
	uint64_t segment_size; /* 0: SEGMENT_SIZE; at least SALVAGE_SEGMENT_LEAST */
	bool reread;
	bool reread_all; /* with reread: also readings of the current reader version */
	/* Called after each exchange with the number of exchanges so far; may be NULL. */
	void (*on_progress)(void *arg, uint64_t exchanges);
	void *arg;
};

struct compaction_figures {
	uint64_t segments, new_segments;
	uint64_t bytes, new_bytes; /* size of the segments' files */
	uint64_t exchanges, legs;
	uint64_t dropped; /* values of parts that were not copied */
	uint64_t packed;  /* parts that were stored uncompressed and are now compressed */
	uint64_t reread;  /* readings that were made again */
	uint64_t unread;  /* legs with a body for which no reading could be made */
};

/* Returns NULL, or a sentence that the caller frees; the directory `to` may then exist but is
 * incomplete. *ret and *ret_usage are always set. *ret_usage true: the source was refused. */
char *compaction_run(const struct compaction_settings *s, struct compaction_figures *ret,
        bool *ret_usage) MUST_CHECK;
