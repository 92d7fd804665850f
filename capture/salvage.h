#pragma once
/*
 * salvage - makes a new capture from rows of another one: from the intact rows of a damaged
 * capture, or to rewrite a capture. One thread.
 */
#include <stdint.h>

#include "capture/segment.h"

struct salvage;

/*
 * Creates a capture in dir with the hash key of the capture in `from`. Returns 0; or a negative
 * errno, and in *ret_error a sentence that the caller frees, also if dir is not empty.
 */
int salvage_create(
        const char *dir, const char *from, struct salvage **ret, char **ret_error) MUST_CHECK;
/* Sets the size of new segments, bytes: at least SALVAGE_SEGMENT_LEAST; default SEGMENT_SIZE. */
#define SALVAGE_SEGMENT_LEAST ((uint64_t)128 << 20)
void salvage_set_segment_size(struct salvage *s, uint64_t size);
/* Adds an intact row of the exchange, leg, part or meta table, as stored. Skips a row that the
 * new capture has already. Returns 0 or a negative errno. */
int salvage_add_row(
        struct salvage *s, enum segment_table t, struct span key, struct span value) MUST_CHECK;
/* Commits and seals the new capture. Call it also after an error of salvage_add_row(): what was
 * committed stays. Returns 0 or a negative errno. Without it, the last segment stays unsealed. */
int salvage_end(struct salvage *s) MUST_CHECK;
uint64_t salvage_rows(const struct salvage *s); /* rows added */
void salvage_destroy(struct salvage *s);
