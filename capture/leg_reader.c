#include "capture/leg_reader.h"

#include <endian.h>
#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/inflate.h"
#include "base/mem.h"
#include "base/pool.h"
#include "answers/tokens/spelling.h"

/* Enough to find the first content of any stream. */
#define ARRIVALS_LIMIT (1u << 20)

struct leg_reader {
	atomic_uint refs;
	bool body_closed;
	struct id leg;
	struct reading_hints hints;
	char *coding;          /* NULL: the body is read as it comes */
	struct claim claim;    /* for the memory that the reader holds */
	struct reader *reader; /* NULL: the reading was abandoned or has ended */
	struct buf encoded;    /* the body so far, if it has a coding */
	struct buf arrivals;
	uint64_t fed;
};

struct reading_hints leg_reader_hints(
        const struct exchange_row *exchange, const struct leg_row *leg)
{
	return (struct reading_hints){
	        .endpoint = exchange->endpoint,
	        .status = leg->status,
	        .framing = framing_of_type(span_of(leg->content_type)),
	        .wants_logprobs =
	                exchange->facts.has_logprobs || (leg->marks & LEG_INJECTED_LOGPROBS),
	        .has_tools = exchange->facts.has_tools,
	};
}

struct leg_reader *leg_reader_create(
        struct id leg, const struct reading_hints *hints, const char *coding, struct budget *budget)
{
	struct leg_reader *l = pool_alloc(sizeof(*l));
	bool is_coded = coding && *coding && !span_is_nocase(span_of(coding), "identity");
	*l = (struct leg_reader){
	        .leg = leg,
	        .hints = *hints,
	        .coding = is_coded ? xstrdup(coding) : NULL,
	        .claim = {.budget = budget},
	        .reader = reader_create(hints),
	};
	atomic_init(&l->refs, 1);
	return l;
}

struct leg_reader *leg_reader_ref(struct leg_reader *l)
{
	atomic_fetch_add_explicit(&l->refs, 1, memory_order_relaxed);
	return l;
}

void leg_reader_abandon(struct leg_reader *l)
{
	reader_destroy(l->reader);
	l->reader = NULL;
	buf_finish(&l->encoded);
	buf_finish(&l->arrivals);
	claim_close(&l->claim);
}

void leg_reader_unref(struct leg_reader *l)
{
	if (!l || atomic_fetch_sub_explicit(&l->refs, 1, memory_order_acq_rel) != 1) {
		return;
	}
	leg_reader_abandon(l);
	free(l->coding);
	pool_free(l, sizeof(*l));
}

/* A reader uses about as much memory as it is given bytes: it turns JSON into text and columns. */
static bool take(struct leg_reader *l, size_t n)
{
	if (!claim_take(&l->claim, n)) {
		leg_reader_abandon(l);
		return false;
	}
	return true;
}

/* Decodes a body and charges the budget step by step, so that a few bytes cannot expand beyond
 * what the budget allows. */
static int decode(struct leg_reader *l, struct span body, struct buf *ret)
{
	return inflate_body_on(&l->claim, span_of(l->coding), body, DECODED_LIMIT, ret);
}

int leg_reader_decode(struct leg_reader *l, struct leg_row *row, struct buf *body)
{
	struct buf decoded = {0};
	if (!l->coding) {
		return 0;
	}
	int r = decode(l, buf_span(body), &decoded);
	if (r < 0) {
		claim_give(&l->claim, decoded.cap);
		buf_finish(&decoded);
		return r;
	}
	buf_finish(body);
	*body = decoded;
	free(l->coding);
	l->coding = NULL;
	leg_row_loosen(row);
	free(row->content_encoding);
	row->content_encoding = NULL;
	row->body_bytes = body->len;
	buf_clear(&l->arrivals); /* they count other bytes */
	return 0;
}

void leg_reader_body(struct leg_reader *l, struct span bytes)
{
	if (!l->reader || !take(l, bytes.len)) {
		return;
	}
	l->fed += bytes.len;
	if (l->coding) {
		buf_append_span(&l->encoded, bytes);
	} else {
		reader_feed(l->reader, bytes.data, bytes.len);
	}
}

void leg_reader_arrivals(struct leg_reader *l, struct span packed)
{
	if (!l->reader || l->arrivals.len + packed.len > ARRIVALS_LIMIT || !take(l, packed.len)) {
		return;
	}
	buf_append_span(&l->arrivals, packed);
}

/* Returns when the body's byte number `at` (counted from 1) arrived, or UINT64_MAX. */
static uint64_t arrival_of(const struct buf *arrivals, uint64_t at)
{
	for (size_t i = 0; i + 8 <= arrivals->len; i += 8) {
		uint32_t pair[2];
		memcpy(pair, arrivals->data + i, sizeof(pair));
		if (le32toh(pair[1]) >= at) {
			return le32toh(pair[0]);
		}
	}
	return UINT64_MAX;
}

/* Bodies are decoded only at the end, since none of the decoders can pause and resume. NULL: the
 * budget is spent. */
static struct reading *end_encoded(struct leg_reader *l, bool complete)
{
	struct buf decoded = {0};
	struct reading *reading = NULL;
	int damage = decode(l, buf_span(&l->encoded), &decoded);
	if (damage != -ENOMEM) {
		reader_feed(l->reader, decoded.data, decoded.len);
		reading = reader_end(l->reader, complete && damage == 0);
		reading->marks |= damage ? READING_ENCODED : 0;
	}
	buf_finish(&decoded);
	return reading;
}

static char *dup_or_null(const char *s)
{
	return s ? xstrdup(s) : NULL;
}

static bool has_lost(const struct reading *r)
{
	for (size_t i = 0; (r->marks & READING_TOKENS_MISSPELL) && i < r->n_choices; i++) {
		const struct choice *c = &r->choices[i];
		if (c->has_columns && !c->reasoning.len && !c->n_calls && spelling_has_lost(c)) {
			return true;
		}
	}
	return false;
}

static void copy_to_row(const struct reading *reading, struct leg_row *row)
{
	row->lost_characters = row->kind && row->outcome == OUTCOME_COMPLETE && has_lost(reading);
	row->reading_marks = reading->marks;
	row->usage = reading->usage;
	leg_row_loosen(row);
	free(row->model);
	free(row->fingerprint);
	free(row->finish);
	row->model = dup_or_null(reading->model);
	row->fingerprint = dup_or_null(reading->fingerprint);
	row->finish = dup_or_null(reading->n_choices ? reading->choices[0].finish : NULL);
}

struct reading *leg_reader_end(struct leg_reader *l, struct leg_row *row)
{
	if (!l->reader || l->fed == 0) {
		bool none = l->reader && row->outcome == OUTCOME_COMPLETE && !row->body_bytes;
		row->reading_marks |= none && reading_hints_expect(&l->hints) ? READING_EMPTY : 0;
		return NULL;
	}
	bool complete = row->outcome == OUTCOME_COMPLETE && l->fed == row->body_bytes;
	struct reading *reading =
	        l->coding ? end_encoded(l, complete) : reader_end(l->reader, complete);
	if (!reading) {
		leg_reader_abandon(l);
		return NULL;
	}
	l->reader = NULL;
	copy_to_row(reading, row);
	/* In an encoded body the offset counts decoded bytes, which have no arrival times of
	 * their own. */
	if (!l->coding && reading->first_content_at) {
		row->first_content_us = arrival_of(&l->arrivals, reading->first_content_at);
	}
	leg_reader_abandon(l);
	return reading;
}

void leg_reader_close_body(struct leg_reader *l)
{
	l->body_closed = true;
}

bool leg_reader_body_closed(const struct leg_reader *l)
{
	return l->body_closed;
}

struct leg_entry {
	struct id leg;
	struct leg_reader *reader;
};
static const struct hash_layout LAYOUT = {sizeof(struct leg_entry), sizeof(struct id)};

void leg_table_init(struct leg_table *t)
{
	*t = (struct leg_table){0};
	pthread_mutex_init(&t->lock, NULL);
}

void leg_table_finish(struct leg_table *t)
{
	const struct leg_entry *entries = t->readers.entries;
	for (size_t i = 0; i < t->readers.places; i++) {
		leg_reader_unref(entries[i].reader);
	}
	hash_table_finish(&t->readers);
	pthread_mutex_destroy(&t->lock);
}

void leg_table_add(struct leg_table *t, struct leg_reader *l)
{
	bool is_new;
	pthread_mutex_lock(&t->lock);
	struct leg_entry *e = hash_table_add(&t->readers, LAYOUT, &l->leg, &is_new);
	leg_reader_unref(e->reader);
	e->reader = l;
	pthread_mutex_unlock(&t->lock);
}

struct leg_reader *leg_table_find(struct leg_table *t, struct id leg)
{
	pthread_mutex_lock(&t->lock);
	const struct leg_entry *e = hash_table_find(&t->readers, LAYOUT, &leg);
	struct leg_reader *l = e ? leg_reader_ref(e->reader) : NULL;
	pthread_mutex_unlock(&t->lock);
	return l;
}

struct leg_reader *leg_table_remove(struct leg_table *t, struct id leg)
{
	struct leg_entry e;
	pthread_mutex_lock(&t->lock);
	bool had = hash_table_remove(&t->readers, LAYOUT, &leg, &e);
	pthread_mutex_unlock(&t->lock);
	return had ? e.reader : NULL;
}
