#include "capture/recorder/batch_writer.h"

#include <errno.h>

#include "capture/derived_rows.h"

static int put_part(struct batch_writer *w, struct segment_writer *s, const struct item *i,
        enum part_type type, const struct buf *values)
{
	size_t at = 0;
	for (uint32_t cut = 0; at < values->len; cut++) {
		struct span rest = {values->data + at, values->len - at};
		struct span value = {rest.data, record_stored_size(rest)};
		segment_key_part(&w->key, i->owner, (uint8_t)type, i->n << PART_PIECE_SHIFT | cut);
		int r = segment_put(s, TABLE_PART, buf_span(&w->key), value);
		if (r < 0) {
			return r;
		}
		at += value.len;
	}
	return 0;
}

static int put_values(struct batch_writer *w, struct segment_writer *s, const struct item *i)
{
	enum part_type body = i->kind == ITEM_LEG ? PART_RESPONSE_BODY : PART_REQUEST_BODY;
	int r = put_part(w, s, i, i->type, &i->values);
	return r < 0 ? r : put_part(w, s, i, body, &i->body);
}

/* Writes the row in w->payload, whose key is in w->key, and its row in the log. */
static int put_row(
        struct batch_writer *w, struct segment_writer *s, uint64_t *number, enum row_kind kind)
{
	enum segment_table table = kind == ROW_LEG ? TABLE_LEG : TABLE_EXCHANGE;
	buf_clear(&w->value);
	record_wrap(&w->value, kind, buf_span(&w->payload), RECORD_AS_IS);
	int r = segment_put(s, table, buf_span(&w->key), buf_span(&w->value));
	if (r == 0) {
		r = derived_rows_put_log(s, &w->value, *number, kind, buf_span(&w->key));
	}
	*number += r == 0;
	return r;
}

static int put_leg(
        struct batch_writer *w, struct segment_writer *s, uint64_t *number, struct item *i)
{
	struct leg_row *row = i->leg_row;
	if (losses_of(w->losses, row->id).losses & LOSS_PARTS) {
		row->marks |= LEG_TRUNCATED;
	}
	int r = put_values(w, s, i);
	if (r < 0) {
		return r;
	}
	buf_clear(&w->payload);
	record_put_leg(&w->payload, row);
	segment_key_leg(&w->key, row->exchange, row->id);
	r = put_row(w, s, number, ROW_LEG);
	return r < 0 ? r : derived_rows_each_leg_index(row, &w->key, derived_rows_put_index, s);
}

static int put_exchange(
        struct batch_writer *w, struct segment_writer *s, uint64_t *number, struct item *i)
{
	struct exchange_row *row = i->exchange_row;
	if (losses_of(w->losses, row->id).losses & LOSS_PARTS) {
		row->marks |= EXCHANGE_TRUNCATED | EXCHANGE_BODY_CUT;
	}
	int r = put_values(w, s, i);
	if (r < 0) {
		return r;
	}
	buf_clear(&w->payload);
	record_put_exchange(&w->payload, row);
	segment_key_exchange(&w->key, row->id);
	r = put_row(w, s, number, ROW_EXCHANGE);
	return r < 0 ? r
	             : derived_rows_each_exchange_index(row, &w->key, derived_rows_put_index, s);
}

struct fill {
	struct batch_writer *writer;
	struct item *batch;
};

/* After a piece of a body is lost, its later pieces are omitted, so that the stored bytes are
 * the body's beginning. */
static int put_piece(struct batch_writer *w, struct segment_writer *s, struct item *i)
{
	bool body = i->type == PART_REQUEST_BODY || i->type == PART_RESPONSE_BODY;
	i->left_out = body && losses_of(w->losses, i->owner).losses & LOSS_PARTS;
	return i->left_out ? 0 : put_values(w, s, i);
}

static int put_item(
        struct batch_writer *w, struct segment_writer *s, uint64_t *number, struct item *i)
{
	switch (i->kind) {
	case ITEM_PART:
		return put_piece(w, s, i);
	case ITEM_LEG:
		return put_leg(w, s, number, i);
	case ITEM_EXCHANGE:
		return put_exchange(w, s, number, i);
	case ITEM_MANIFEST:
		break; /* the store has put it already */
	}
	return 0;
}

static int fill(void *arg, struct segment_writer *s, uint64_t *number)
{
	struct fill *f = arg;
	int r = 0;
	for (struct item *i = f->batch; i && r == 0; i = i->next) {
		r = put_item(f->writer, s, number, i);
	}
	return r;
}

static void count(struct batch_writer *w, const struct item *i)
{
	struct batch_writer_figures *f = &w->figures;
	if (i->left_out) {
		return;
	}
	f->bytes_stored += i->values.len + i->body.len;
	if (i->kind == ITEM_MANIFEST) {
		return;
	}
	if (i->kind == ITEM_PART) {
		f->parts++;
		return;
	}
	f->rows++;
	if (i->kind == ITEM_LEG) {
		f->unread += (i->leg_row->marks & LEG_UNREAD) != 0;
		f->truncated += (i->leg_row->marks & LEG_TRUNCATED) != 0;
	} else {
		f->truncated += (i->exchange_row->marks & EXCHANGE_TRUNCATED) != 0;
	}
}

/* Records what is in the capture but would be useless if the row that refers to it were lost. */
static void track_stored(struct losses *losses, const struct item *i)
{
	if (i->kind != ITEM_PART) {
		losses_remove(losses, i->owner);
	} else if (!i->left_out) {
		losses_add_stored(losses, i->owner, LOSS_PARTS);
	}
	if (i->kind == ITEM_LEG && !i->has_ticket) {
		losses_add_stored(losses, i->leg_row->exchange, LOSS_LEG);
	}
}

static void mark_recorded(struct batch_writer *w, struct item *batch)
{
	struct buf tickets = {0};
	for (struct item *i = batch; i; i = i->next) {
		count(w, i);
		track_stored(w->losses, i);
		if (i->has_ticket) {
			struct ledger_ticket *t = &i->ticket;
			buf_append(&tickets, &t, sizeof(t));
		}
	}
	ledger_mark_recorded(
	        (struct ledger_ticket *const *)(void *)tickets.data, tickets.len / sizeof(void *));
	buf_finish(&tickets);
	while (batch) {
		struct item *next = batch->next;
		item_destroy(batch);
		batch = next;
	}
}

static void drop_item(struct losses *losses, struct item *i, enum ledger_drop cause)
{
	switch (i->kind) {
	case ITEM_PART:
		losses_add(losses, i->owner, LOSS_PARTS, cause);
		break;
	case ITEM_LEG:
		losses_remove(losses, i->owner);
		/* The item is a primary leg. Its exchange must not be counted as recorded. */
		if (!i->has_ticket) {
			losses_add(losses, i->leg_row->exchange, LOSS_LEG, cause);
		}
		break;
	case ITEM_EXCHANGE:
		losses_remove(losses, i->owner);
		break;
	case ITEM_MANIFEST:
		break; /* the next batch includes it */
	}
	if (i->has_ticket) {
		ledger_mark_dropped(&i->ticket, cause);
	}
	item_destroy(i);
}

void batch_writer_drop(struct losses *losses, struct item *batch, enum ledger_drop cause)
{
	while (batch) {
		struct item *next = batch->next;
		drop_item(losses, batch, cause);
		batch = next;
	}
}

/* Removes exchanges whose primary leg is lost from the batch. */
static struct item *drop_orphans(struct batch_writer *w, struct item *batch)
{
	struct item **p = &batch;
	while (*p) {
		struct item *i = *p;
		struct loss_of loss = losses_of(w->losses, i->owner);
		if (i->kind == ITEM_EXCHANGE && loss.losses & LOSS_LEG) {
			*p = i->next;
			drop_item(w->losses, i, loss.cause);
		} else {
			p = &i->next;
		}
	}
	return batch;
}

/* False: the writer has been abandoned, and the batch with it. */
static bool set_current(struct batch_writer *w, struct item *batch)
{
	pthread_mutex_lock(&w->lock);
	bool active = !w->abandoned;
	if (active) {
		w->current = batch;
	}
	pthread_mutex_unlock(&w->lock);
	return active;
}

void batch_writer_abandon(struct batch_writer *w, enum ledger_drop cause)
{
	pthread_mutex_lock(&w->lock);
	w->abandoned = true;
	for (struct item *i = w->current; i; i = i->next) {
		if (i->has_ticket) {
			ledger_mark_dropped(&i->ticket, cause);
		}
	}
	pthread_mutex_unlock(&w->lock);
}

static enum ledger_drop cause_of(int error)
{
	if (error == -EDQUOT) {
		return DROP_CAPTURE_FULL;
	}
	return error == -ENOMEM ? DROP_MEMORY : DROP_DISK;
}

/* False: the writer has been abandoned. */
static bool commit(struct batch_writer *w, struct item *batch, int *ret)
{
	size_t bytes = 0;
	for (const struct item *i = batch; i; i = i->next) {
		bytes += i->bytes;
	}
	struct fill f = {w, batch};
	if (!set_current(w, batch)) {
		return false;
	}
	priority_begin_work(w->priority, w->thread);
	*ret = store_write(w->store, bytes, fill, &f);
	priority_end_work(w->priority, w->thread);
	return set_current(w, NULL);
}

void batch_writer_write(struct batch_writer *w, struct item *batch)
{
	int r;
	do {
		batch = drop_orphans(w, batch);
		if (!batch || !commit(w, batch, &r)) {
			return;
		}
		if (r == STORE_ANEW) {
			losses_lose_stored(w->losses, DROP_DISK);
		}
	} while (r == STORE_ANEW);
	if (r == 0) {
		mark_recorded(w, batch);
	} else {
		batch_writer_drop(w->losses, batch, cause_of(r));
	}
}

void batch_writer_init(
        struct batch_writer *w, struct losses *losses, struct priority *priority, unsigned thread)
{
	w->losses = losses;
	w->priority = priority;
	w->thread = thread;
	pthread_mutex_init(&w->lock, NULL);
}

void batch_writer_finish(struct batch_writer *w)
{
	pthread_mutex_destroy(&w->lock);
	buf_finish(&w->key);
	buf_finish(&w->payload);
	buf_finish(&w->value);
}
