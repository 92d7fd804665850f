#pragma once
/*
 * leg_reader - makes a leg's reading while the leg's parts pass through the recorder.
 *
 * A reader is reference-counted, because parts in the queue outlive its entry in the table. Any
 * thread may use the table and the reference counts; only the leg's encoder feeds and ends the
 * reader. Its memory counts in the budget. If the budget has no room, or the recorder is under
 * load, the leg stays unread: its raw bytes are stored, and a reading can be made from them later.
 */
#include <stdbool.h>
#include <stdint.h>

#include <pthread.h>

#include "base/claim.h"
#include "base/hash_table.h"
#include "capture/record.h"

struct leg_reader;

/* The hints for reading a stored answer again. exchange: the leg's exchange. Sets all members
 * except `offered` and `limit`, which stay zero; keeps no pointer into the rows. */
struct reading_hints leg_reader_hints(
        const struct exchange_row *exchange, const struct leg_row *leg);
/* Copies hints and coding (the content coding, or NULL). The caller owns one reference. */
struct leg_reader *leg_reader_create(struct id leg, const struct reading_hints *hints,
        const char *coding, struct budget *budget);
struct leg_reader *leg_reader_ref(struct leg_reader *l);
void leg_reader_unref(struct leg_reader *l); /* NULL is fine */

/*
 * For an answer that was held until its row arrived (recorder/pending_bodies.h): replaces *body by
 * its text without the content coding, and updates the row. Then pass the text to
 * leg_reader_body(). Returns 0; an error of inflate_body(), or -ENOMEM (the budget has no room):
 * *body is unchanged.
 */
int leg_reader_decode(struct leg_reader *l, struct leg_row *row, struct buf *body) MUST_CHECK;
/* Pass bytes of the answer's body, and of PART_ARRIVALS, in order. */
void leg_reader_body(struct leg_reader *l, struct span bytes);
void leg_reader_arrivals(struct leg_reader *l, struct span packed);
void leg_reader_abandon(struct leg_reader *l); /* frees the reading so far; the leg stays unread */
/*
 * Returns the reading, which the caller destroys. Sets first_content_us and the row's members that
 * repeat values of the reading. NULL: the answer has no body, or the leg stays unread; in the row,
 * at most READING_EMPTY was added to reading_marks.
 */
struct reading *leg_reader_end(struct leg_reader *l, struct leg_row *row);

/* The readers of all legs in progress, by leg. */
struct leg_table {
	pthread_mutex_t lock;
	struct hash_table readers;
};

void leg_table_init(struct leg_table *t);
void leg_table_finish(struct leg_table *t);
/* Takes over the caller's reference. */
void leg_table_add(struct leg_table *t, struct leg_reader *l);
/* Finds a leg's reader; the caller calls leg_reader_unref(). NULL: the table has none. */
struct leg_reader *leg_table_find(struct leg_table *t, struct id leg);
/* As leg_table_find(), and removes the reader from the table. The caller calls
 * leg_reader_unref(). */
struct leg_reader *leg_table_remove(struct leg_table *t, struct id leg);

/* Remember that the recorder refused a piece of the leg's body. Only for the thread that passes
 * the leg's parts to the recorder. */
void leg_reader_close_body(struct leg_reader *l);
bool leg_reader_body_closed(const struct leg_reader *l);
