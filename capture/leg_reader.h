#pragma once
/*
 * leg_reader - makes a leg's reading while its parts pass through the recorder.
 *
 * Counted, for the parts in the queue outlive the table that finds it. The counting and the table
 * are for any thread; feeding and ending are for the leg's encoder alone. What it holds is taken
 * from the budget; when that is spent, or the recorder is under pressure, the leg is left unread:
 * the raw bytes are the truth.
 */
#include <stdbool.h>
#include <stdint.h>

#include <pthread.h>

#include "base/claim.h"
#include "capture/record.h"

struct leg_reader;

struct leg_reader *leg_reader_create(struct id leg, const struct reading_hints *hints,
        const char *coding, struct budget *budget);
struct leg_reader *leg_reader_ref(struct leg_reader *l);
void leg_reader_unref(struct leg_reader *l); /* NULL is fine */

/*
 * For an answer that is put in only when it is whole: undoes its content coding, in the row as
 * well, and reads it as it is then. 0, or why it can't be: as inflate_body(), -ENOMEM for want of
 * room in the budget.
 */
int leg_reader_decode(struct leg_reader *l, struct leg_row *row, struct buf *body) MUST_CHECK;
void leg_reader_body(struct leg_reader *l, struct span bytes);
void leg_reader_arrivals(struct leg_reader *l, struct span packed);
void leg_reader_give_up(struct leg_reader *l); /* the leg stays unread, whatever comes */
/*
 * The reading, for the caller to destroy, or NULL when the leg stays unread; what the row repeats
 * of it is set, first_content_us included.
 */
struct reading *leg_reader_end(struct leg_reader *l, struct leg_row *row);

/* The legs that have begun and not ended. */
struct leg_table {
	pthread_mutex_t lock;
	size_t n, size;
	struct leg_reader **buckets;
};

void leg_table_init(struct leg_table *t);
void leg_table_finish(struct leg_table *t);
void leg_table_add(struct leg_table *t, struct leg_reader *l); /* takes over the reference */
struct leg_reader *leg_table_find(struct leg_table *t, struct id leg); /* a reference, or NULL */
struct leg_reader *leg_table_take(
        struct leg_table *t, struct id leg); /* the table's own, or NULL */

/* Set and asked by the thread that hands over the leg's parts: a piece of its body was refused. */
void leg_reader_close_body(struct leg_reader *l);
bool leg_reader_body_closed(const struct leg_reader *l);
