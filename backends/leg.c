#include "backends/leg.h"

#include "base/budget.h"
#include "base/clock.h"
#include "base/mem.h"
#include "capture/recorder/recorder.h"

#define PIECE_SIZE (256 * 1024)
#define PIECE_AGE UINT64_C(1000000000)
#define ARRIVALS_LIMIT 65536
#define NEVER UINT64_MAX
#define REPLICA_LIMIT 256

struct arrival {
	uint32_t us;
	uint32_t bytes;
};

void leg_begin(struct leg *l, const struct leg_frame *frame, struct id exchange,
        const struct dialect *dialect, struct id manifest, bool recording)
{
	*l = (struct leg){
	        .frame = *frame,
	        .dialect = dialect,
	        .begun = true,
	        .recording = recording && frame->recorder,
	        .mono = clock_mono(),
	        .stride = 1,
	        .row =
	                {
	                        .id = id_make(),
	                        .exchange = exchange,
	                        .run = frame->run,
	                        .role = frame->role,
	                        .manifest = manifest,
	                        .start_ns = clock_wall(),
	                        .head_us = NEVER,
	                        .first_body_us = NEVER,
	                        .first_content_us = NEVER,
	                        .usage = {-1, -1, -1, -1, -1},
	                },
	};
	l->row.in_flight = atomic_fetch_add_explicit(frame->in_flight, 1, memory_order_relaxed) + 1;
}

void leg_set_edits(struct leg *l, struct edits *edits, const struct injection *injected)
{
	l->row.edits = edits->items;
	l->row.n_edits = edits->n;
	*edits = (struct edits){0};
	l->row.marks |= injected->logprobs ? LEG_INJECTED_LOGPROBS : 0;
	l->row.marks |= injected->usage ? LEG_INJECTED_USAGE : 0;
	l->row.marks |= injected->token_ids ? LEG_INJECTED_TOKEN_IDS : 0;
}

static uint64_t since_start_us(const struct leg *l, uint64_t now)
{
	return (now - l->mono) / 1000;
}

/* Marks the leg as truncated: the rest of its answer is not recorded. */
static void truncate(struct leg *l)
{
	if (!(l->row.marks & LEG_TRUNCATED) && l->frame.on_truncated) {
		l->frame.on_truncated(l->frame.arg);
	}
	l->row.marks |= LEG_TRUNCATED;
}

void leg_drop_answer(struct leg *l)
{
	chunks_finish(&l->answer);
	l->keep = 0;
}

static void keep_answer(struct leg *l, struct chunk *c)
{
	const struct budget *b = l->frame.budget;
	if (!l->keep) {
		return;
	}
	if (l->answer.bytes + c->len > l->keep || budget_used(b) > b->limit / 2) {
		leg_drop_answer(l);
	} else {
		chunks_push(&l->answer, chunk_ref(c));
	}
}

static bool record_part(
        struct leg *l, enum part_type type, uint32_t n, const char *data, size_t len)
{
	struct chunk *c = chunk_try_make(l->frame.budget, data, len);
	if (!c) {
		return false;
	}
	if (type == PART_RESPONSE_BODY) {
		keep_answer(l, c);
	}
	struct chunks pieces = {0};
	chunks_push(&pieces, c);
	return recorder_part(l->frame.recorder, l->row.id, type, n, &pieces);
}

/* Returns the server that answered, if the configuration names a header field that has it. */
static char *replica_of(const struct leg *l, const struct http_head *head)
{
	const char *name = l->frame.replica_header;
	struct span value = name ? http_field(head, name) : (struct span){0};
	value.len = MIN(value.len, (size_t)REPLICA_LIMIT);
	return value.len ? span_dup(value) : NULL;
}

static bool is_success(int status)
{
	return status >= 200 && status < 300;
}

static void record_head(struct leg *l)
{
	recorder_leg_begin(l->frame.recorder, l->row.id, &l->hints, l->row.content_encoding);
	l->has_body = true;
	if (!record_part(l, PART_RESPONSE_HEAD, 0, l->head.data, l->head.len)) {
		truncate(l);
	}
	buf_finish(&l->head);
}

void leg_head(struct leg *l, const struct http_head *head, const struct reading_hints *requested)
{
	struct span type = http_field(head, "content-type");
	struct span coding = http_field(head, "content-encoding");

	l->row.status = head->status;
	l->row.head_us = since_start_us(l, clock_mono());
	l->streamed =
	        l->frame.counts && is_success(head->status) && framing_of_type(type) == FRAMING_SSE;
	l->held = l->held && l->recording;
	if (!l->recording) {
		return;
	}
	l->row.content_type = type.data ? span_dup(type) : NULL;
	l->row.content_encoding = coding.data ? span_dup(coding) : NULL;
	l->row.replica = replica_of(l, head);

	l->hints = *requested;
	l->hints.status = head->status;
	l->hints.framing = framing_of_type(type);
	privacy_kept_response(head, &l->frame.kept, &l->head);
	if (!l->held) {
		record_head(l);
	}
}

static void flush_body(struct leg *l)
{
	size_t len = l->body.len, at = 0;
	budget_give(l->frame.budget, len);
	while (at < len) {
		size_t n = MIN(len - at, (size_t)2 * PIECE_SIZE);
		if (!record_part(l, PART_RESPONSE_BODY, l->row.body_parts, l->body.data + at, n)) {
			truncate(l);
			break;
		}
		l->row.body_parts++;
		at += n;
	}
	buf_reuse(&l->body);
}

void leg_release(struct leg *l)
{
	bool head_recorded = !l->held || !l->recording || !l->row.status;
	l->held = false;
	if (!head_recorded) {
		record_head(l);
	}
}

/*
 * Limits the number of arrivals: removes every other one, and doubles the stride at which later
 * ones are recorded.
 */
static void thin_out(struct leg *l)
{
	struct arrival *items = (struct arrival *)l->arrivals.data;
	size_t n = l->arrivals.len / sizeof(*items);
	for (size_t i = 0; i < n / 2; i++) {
		items[i] = items[2 * i + 1];
	}
	budget_give(l->frame.budget, l->arrivals.len - n / 2 * sizeof(*items));
	l->arrivals.len = n / 2 * sizeof(*items);
	l->stride *= 2;
}

static void add_arrival(struct leg *l, uint64_t now)
{
	uint64_t us = since_start_us(l, now);
	struct arrival a = {
	        (uint32_t)MIN(us, (uint64_t)UINT32_MAX),
	        (uint32_t)MIN(l->row.body_bytes, (uint64_t)UINT32_MAX),
	};
	if (++l->skipped < l->stride) {
		return;
	}
	l->skipped = 0;
	if (l->arrivals.len >= ARRIVALS_LIMIT * sizeof(a)) {
		thin_out(l);
	}
	if (budget_take(l->frame.budget, sizeof(a))) {
		buf_append(&l->arrivals, &a, sizeof(a));
	}
}

/* Returns the age at which a piece goes to the recorder. The first piece's age is random, so that
 * streams that begin together do not all record at the same moment. */
static uint64_t piece_age(const struct leg *l)
{
	return l->row.body_parts ? PIECE_AGE
	                         : PIECE_AGE / 2 + PIECE_AGE / 512 * l->row.id.bytes[15];
}

void leg_body(struct leg *l, const char *data, size_t len)
{
	uint64_t now = clock_mono();
	l->row.body_bytes += len;
	if (l->row.first_body_us == NEVER) {
		l->row.first_body_us = since_start_us(l, now);
		if (l->streamed) {
			buckets_add(&l->frame.counts->first, l->row.first_body_us);
		}
	} else if (l->streamed) {
		buckets_add(&l->frame.counts->gap, (now - l->last_arrival) / 1000);
	}
	l->last_arrival = now;
	if (!l->recording) {
		return;
	}
	add_arrival(l, now);
	if (l->row.marks & LEG_TRUNCATED) {
		return;
	}
	if (!budget_take(l->frame.budget, len)) {
		if (!l->held) {
			flush_body(l);
		}
		truncate(l);
		return;
	}
	buf_append(&l->body, data, len);
	if (l->body.len == len) {
		l->body_since = now;
	}
	if (!l->held && (l->body.len >= PIECE_SIZE || now - l->body_since >= piece_age(l))) {
		flush_body(l);
	}
}

static void finish(struct leg *l)
{
	if (!l->begun) {
		return;
	}
	budget_give(l->frame.budget, l->body.len + l->arrivals.len);
	buf_finish(&l->body);
	buf_finish(&l->head);
	buf_finish(&l->arrivals);
	chunks_finish(&l->answer);
	leg_row_finish(&l->row);
	atomic_fetch_sub_explicit(l->frame.in_flight, 1, memory_order_relaxed);
	l->begun = false;
}

void leg_discard(struct leg *l)
{
	expect(!l->has_body);
	finish(l);
}

static void count_end(struct leg *l)
{
	struct leg_counts *c = l->frame.counts;
	if (!c) {
		return;
	}
	atomic_fetch_add_explicit(&c->ended[l->row.outcome], 1, memory_order_relaxed);
	if (l->row.outcome == OUTCOME_COMPLETE && is_success(l->row.status)) {
		buckets_add(&c->whole, l->row.end_us);
	}
}

bool leg_answer(struct leg *l, struct chunks *ret)
{
	if (!l->recording) {
		return false;
	}
	leg_release(l);
	flush_body(l);
	if (!l->keep || (l->row.marks & LEG_TRUNCATED)) {
		return false;
	}
	*ret = l->answer;
	l->answer = (struct chunks){0};
	return true;
}

void leg_stop(struct leg *l)
{
	l->row.end_us = since_start_us(l, clock_mono());
	l->stopped = true;
}

void leg_end(struct leg *l, enum outcome outcome, const char *text, struct ledger_book *book)
{
	l->row.outcome = outcome;
	if (!l->stopped) {
		leg_stop(l);
	}
	count_end(l);
	if (!l->recording) {
		if (book) {
			ledger_excluded(book, EXCLUDED_NOT_MIRRORED);
		}
		finish(l);
		return;
	}
	leg_release(l);
	flush_body(l);
	if (l->arrivals.len &&
	        !record_part(l, PART_ARRIVALS, 0, l->arrivals.data, l->arrivals.len)) {
		truncate(l);
	}
	l->row.backend = xstrdup(l->frame.backend);
	l->row.url = xstrdup(l->frame.url);
	if (l->dialect != &dialect_generic) {
		l->row.dialect = xstrdup(l->dialect->name);
	}
	l->row.error = text ? xstrdup(text) : NULL;
	bool read = l->has_body && !(l->row.marks & LEG_TRUNCATED);
	recorder_leg(l->frame.recorder, &l->row, read, book);
	finish(l);
}

enum outcome leg_outcome(enum upstream_reason reason, enum outcome own)
{
	switch (reason) {
	case UPSTREAM_DONE:
		return OUTCOME_COMPLETE;
	case UPSTREAM_REFUSED:
		return OUTCOME_REFUSED;
	case UPSTREAM_TIMEOUT:
		return OUTCOME_TIMEOUT;
	case UPSTREAM_BAD_ANSWER:
		return OUTCOME_BAD_ANSWER;
	case UPSTREAM_BROKEN:
		return OUTCOME_BROKEN;
	case UPSTREAM_CANCELLED:
	case UPSTREAM_BODY_FAILED:
		break;
	}
	return own;
}
