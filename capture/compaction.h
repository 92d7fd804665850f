#pragma once
/*
 * compaction - rewrites a capture into as few segments as possible.
 *
 * Rows are copied as stored. Left behind is what nobody can read: parts without a row, half-empty
 * pages, duplicates in several segments. Values that were stored raw because the recorder was under
 * load are compressed. The meta rows of the old segments are kept beside the new one's
 * (capture_meta.h).
 *
 * With reread, missing readings and those of another reader version are made again from the raw
 * bytes, and the rows' copies of them are updated.
 *
 * The source does not change. A damaged capture, or one that is being written, is refused. One
 * thread; nobody else may write to either directory.
 */
#include <stdbool.h>
#include <stdint.h>

#include "base/check.h"

struct compaction_settings {
	const char *from;      /* the source */
	const char *to;        /* created; must not exist */
	uint64_t segment_size; /* 0: 1 GiB; at least SALVAGE_SEGMENT_LEAST */
	bool reread;
	bool reread_all; /* also readings of the current reader version */
	void (*on_progress)(void *arg, uint64_t rows);
	void *arg;
};

struct compaction_figures {
	uint64_t segments, new_segments;
	uint64_t bytes, new_bytes; /* of segments' files */
	uint64_t exchanges, legs;
	uint64_t dropped; /* values of parts that were left behind */
	uint64_t packed;  /* parts that were stored raw */
	uint64_t reread;  /* readings that were made again */
	uint64_t unread;  /* legs with a body and still no reading */
};

/* Returns NULL, or a sentence that the caller frees; in the second case `to` is incomplete, and
 * *ret_usage is true if the reason is that the capture cannot be compacted. */
char *compaction_run(const struct compaction_settings *s, struct compaction_figures *ret,
        bool *ret_usage) MUST_CHECK;
