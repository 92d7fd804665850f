#pragma once
/*
 * compaction - a capture written anew in as few segments as it takes.
 *
 * Each row goes over as it is stored; what nobody can read any more stays behind: parts whose row was never written,
 * pages that are half empty, what stands in several segments. Values that were stored raw, because the recorder was
 * pressed, are packed. The meta rows of the old segments are kept beside the new one's (see capture_meta.h).
 *
 * With reread, readings that were never made, or by another version of the reader, are made of the raw bytes again,
 * and what rows repeat of them is set.
 *
 * Nothing is changed where it was. A capture with damage, or that is being written, is refused: one thread, and nobody
 * else may write to either directory.
 */
#include <stdbool.h>
#include <stdint.h>

#include "base/check.h"

struct compaction_settings {
	const char *from;      /* the capture */
	const char *to;        /* made; it must not be there */
	uint64_t segment_size; /* 0: 1 GiB; at least SALVAGE_SEGMENT_LEAST */
	bool reread;
	bool reread_all; /* also those that today's reader made */
	void (*on_progress)(void *arg, uint64_t rows);
	void *arg;
};

struct compaction_figures {
	uint64_t segments, new_segments;
	uint64_t bytes, new_bytes; /* of segments' files */
	uint64_t exchanges, legs;
	uint64_t dropped; /* values of parts that stayed behind */
	uint64_t packed;  /* parts that were stored raw */
	uint64_t reread;  /* readings that were made again */
	uint64_t unread;  /* legs that have a body and no reading still */
};

/* NULL, or a sentence: then to is not whole, and *ret_usage says whether the capture was not one to be written anew. */
char *compaction_run(const struct compaction_settings *s, struct compaction_figures *ret,
        bool *ret_usage) MUST_CHECK;
