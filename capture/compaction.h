#pragma once
/*
 * compaction - rewrites a capture into as few segments as possible.
 *
 * It copies rows as stored, and the meta rows of the old segments beside the new one's
 * (capture_meta.h). It leaves out what nobody can read: parts without a row, half-empty pages, and
 * duplicates in several segments. It compresses values that the recorder stored raw because it was
 * under load.
 *
 * With reread it makes readings again from the raw bytes if they are missing or another reader
 * version made them, and updates the values that rows copy from them.
 *
 * The source does not change. It refuses a damaged capture, and one that is being written. One
 * thread; nobody else may write to either directory.
 */
#include <stdbool.h>
#include <stdint.h>

#include "base/check.h"

struct compaction_settings {
	const char *from;      /* the source */
	const char *to;        /* created; must not exist */
	uint64_t segment_size; /* 0: SEGMENT_SIZE; at least SALVAGE_SEGMENT_LEAST */
	bool reread;
	bool reread_all; /* also readings of the current reader version */
	void (*on_progress)(void *arg, uint64_t rows);
	void *arg;
};

struct compaction_figures {
	uint64_t segments, new_segments;
	uint64_t bytes, new_bytes; /* size of the segments' files */
	uint64_t exchanges, legs;
	uint64_t dropped; /* values of parts that were not copied */
	uint64_t packed;  /* parts that were stored raw and are now compressed */
	uint64_t reread;  /* readings that were made again */
	uint64_t unread;  /* legs with a body for which no reading could be made */
};

/* Returns NULL, or a sentence. After an error `to` is incomplete. *ret_usage: true if the capture
 * is one that cannot be compacted. */
char *compaction_run(const struct compaction_settings *s, struct compaction_figures *ret,
        bool *ret_usage) MUST_CHECK;
