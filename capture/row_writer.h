#pragma once
/*
 * row_writer - writes the rows that belong to other rows of a segment: its description, the log and
 * the indexes (segment.h). Functions return 0 or a negative errno. One thread a segment.
 */
#include "capture/record.h"
#include "capture/segment.h"

/* Writes the segment's own meta row. Sets the members that follow from the segment and this
 * program: format, segment, created_ns, version. */
int row_put_meta(struct segment_writer *w, struct meta_row *row) MUST_CHECK;
/* Writes the log row with this number for an exchange or a leg. key: the key of that row.
 * scratch: working memory. */
int row_put_log(struct segment_writer *w, struct buf *scratch, uint64_t number, enum row_kind kind,
        struct span key) MUST_CHECK;

/* Gets the key of one index row. Another result than 0 ends the calls and is returned. */
typedef int (*row_index_fn)(void *arg, enum segment_table t, struct span key);
/* Call fn for each index row that the row must have. scratch: working memory for the keys. */
int row_each_exchange_index(
        const struct exchange_row *row, struct buf *scratch, row_index_fn fn, void *arg) MUST_CHECK;
int row_each_leg_index(
        const struct leg_row *row, struct buf *scratch, row_index_fn fn, void *arg) MUST_CHECK;
/* A row_index_fn that writes the index row; arg: the segment_writer. */
int row_put_index(void *arg, enum segment_table t, struct span key);
