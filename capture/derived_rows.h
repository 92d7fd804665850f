#pragma once
/*
 * derived_rows - writes a segment's meta row, and the rows that each exchange and leg needs besides
 * its own: the log row and the index rows (segment.h). The segment must have an open transaction.
 * Functions return 0 or a negative errno. One thread a segment.
 */
#include "capture/record.h"
#include "capture/segment.h"

/* Writes the segment's own meta row. Sets these members of *row: format, segment, created_ns, and
 * version (a static text). */
int derived_rows_put_meta(struct segment_writer *w, struct meta_row *row) MUST_CHECK;
/* Writes the log row with this commit number for an exchange or a leg, whose row has this key.
 * scratch: working memory. */
int derived_rows_put_log(struct segment_writer *w, struct buf *scratch, uint64_t number,
        enum row_kind kind, struct span key) MUST_CHECK;

/* Gets the key of one index row. Another result than 0 ends the calls and is returned. */
typedef int (*derived_rows_index_fn)(void *arg, enum segment_table t, struct span key);
/* Call fn for each index row that the row must have. scratch: working memory for the keys. */
int derived_rows_each_exchange_index(const struct exchange_row *row, struct buf *scratch,
        derived_rows_index_fn fn, void *arg) MUST_CHECK;
int derived_rows_each_leg_index(const struct leg_row *row, struct buf *scratch,
        derived_rows_index_fn fn, void *arg) MUST_CHECK;
/* A derived_rows_index_fn that writes the index row; arg: the segment_writer. */
int derived_rows_put_index(void *arg, enum segment_table t, struct span key);
