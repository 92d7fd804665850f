#include "proxy/upload.h"

#include <errno.h>
#include <string.h>

#include "base/buf.h"

#define ENTRIES_KEPT 64
#define SMALL_PIECE 4096

void upload_init(struct upload *u, struct budget *budget, uint64_t keep_limit, bool record)
{
	*u = (struct upload){
	        .budget = budget, .keep_limit = keep_limit, .kept = true, .record = record};
}

void upload_finish(struct upload *u)
{
	chunks_finish(&u->body);
}

/* An upload may be endless and come byte by byte, so the array entries of released chunks are
 * dropped, too. */
static void forget_released(struct upload *u)
{
	size_t n = u->released;
	if (n < ENTRIES_KEPT || n < u->body.n / 2) {
		return;
	}
	u->body.n -= n;
	memmove(u->body.items, u->body.items + n, u->body.n * sizeof(*u->body.items));
	u->next -= n;
	u->recorded -= MIN(u->recorded, n);
	u->released = 0;
}

/* Releases the chunks that nobody needs any more. */
static void release(struct upload *u)
{
	size_t until = u->kept ? 0 : u->next;
	if (u->record) {
		until = MIN(until, u->recorded);
	}
	for (; u->released < until; u->released++) {
		chunk_unref(u->body.items[u->released]);
		u->body.items[u->released] = NULL;
	}
	forget_released(u);
}

void upload_stop_keeping(struct upload *u)
{
	u->kept = false;
	release(u);
}

void upload_stop_recording(struct upload *u)
{
	u->record = false;
	release(u);
}

/* The last chunk, if nobody else holds it and it has room. Without this, a body that comes byte
 * by byte would become a list of bytes. */
static struct chunk *last_open(const struct upload *u, size_t len)
{
	size_t n = u->body.n;
	if (n == u->released || n == u->recorded) {
		return NULL;
	}
	struct chunk *last = u->body.items[n - 1];
	return atomic_load(&last->refs) == 1 && last->len + len <= SMALL_PIECE ? last : NULL;
}

static void append_to_last(struct upload *u, struct chunk *last, const char *data, size_t len)
{
	char both[SMALL_PIECE];
	memcpy(both, last->data, last->len);
	memcpy(both + last->len, data, len);
	if (u->next == u->body.n) {
		u->next--;
		u->offset = last->len;
	}
	u->body.items[u->body.n - 1] = chunk_make(u->budget, both, last->len + len);
	u->body.bytes += len;
	chunk_unref(last);
}

void upload_add(struct upload *u, const char *data, size_t len)
{
	struct chunk *last = last_open(u, len);
	if (last) {
		append_to_last(u, last, data, len);
	} else {
		chunks_push(&u->body, chunk_make(u->budget, data, len));
	}
	u->received += len;
	u->fresh = true;
	if (u->kept && u->received > u->keep_limit) {
		u->oversize = true;
		upload_stop_keeping(u);
	} else if (u->kept && budget_used(u->budget) > u->budget->limit) {
		u->over_budget = true;
		upload_stop_keeping(u);
	}
}

void upload_end(struct upload *u)
{
	u->input = UPLOAD_COMPLETE;
}

void upload_fail(struct upload *u)
{
	u->input = UPLOAD_FAILED;
}

void upload_mark_announced(struct upload *u)
{
	u->fresh = false;
}

ssize_t upload_pull(struct upload *u, char *buf, size_t cap)
{
	size_t n = 0;
	while (n < cap && u->next < u->body.n) {
		const struct chunk *c = u->body.items[u->next];
		size_t take = MIN(cap - n, c->len - u->offset);
		memcpy(buf + n, c->data + u->offset, take);
		n += take;
		u->offset += take;
		if (u->offset == c->len) {
			u->next++;
			u->offset = 0;
		}
	}
	u->pulled += n;
	release(u);
	if (n) {
		return (ssize_t)n;
	}
	return u->input == UPLOAD_COMPLETE ? 0
	       : u->input == UPLOAD_FAILED ? -ECONNABORTED
	                                   : -EAGAIN;
}

void upload_rewind(struct upload *u)
{
	expect(u->kept);
	u->next = 0;
	u->offset = 0;
	u->pulled = 0;
}

uint64_t upload_waiting(const struct upload *u)
{
	return u->received - u->pulled;
}

void upload_join(struct upload *u)
{
	expect(u->kept && !u->recorded);
	if (u->body.n <= 1) {
		return;
	}
	struct chunk *whole = chunk_join(u->budget, &u->body);
	chunks_finish(&u->body);
	chunks_push(&u->body, whole);
	u->next = u->pulled == u->received ? 1 : 0;
	u->offset = u->next ? 0 : (size_t)u->pulled;
}

struct span upload_span(const struct upload *u)
{
	expect(u->kept && u->body.n <= 1);
	return u->body.n ? chunk_span(u->body.items[0]) : (struct span){"", 0};
}

struct chunks upload_unrecorded(struct upload *u)
{
	struct chunks pieces = {0};
	for (; u->recorded < u->body.n; u->recorded++) {
		if (u->body.items[u->recorded]) {
			chunks_push(&pieces, chunk_ref(u->body.items[u->recorded]));
		}
	}
	release(u);
	return pieces;
}
