#include "proxy/upload.h"

#include <errno.h>
#include <string.h>

#include "base/buf.h"

#define PLACES_KEPT 64

void upload_init(struct upload *u, struct budget *budget, uint64_t keep_limit)
{
	*u = (struct upload){.budget = budget, .keep_limit = keep_limit, .kept = true};
}

void upload_finish(struct upload *u)
{
	chunks_finish(&u->body);
}

/* An upload may be endless and come in single bytes: what was given back keeps no place, either. */
static void forget_released(struct upload *u)
{
	size_t n = u->released;
	if (n < PLACES_KEPT || n < u->body.n / 2) {
		return;
	}
	u->body.n -= n;
	memmove(u->body.items, u->body.items + n, u->body.n * sizeof(*u->body.items));
	u->next -= n;
	u->recorded -= MIN(u->recorded, n);
	u->released = 0;
}

/* Gives back what nobody waits for. */
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

void upload_let_go(struct upload *u)
{
	u->kept = false;
	release(u);
}

void upload_unrecord(struct upload *u)
{
	u->record = false;
	release(u);
}

void upload_add(struct upload *u, const char *data, size_t len)
{
	chunks_push(&u->body, chunk_make(u->budget, data, len));
	u->received += len;
	if (u->kept && u->received > u->keep_limit) {
		u->oversize = true;
		upload_let_go(u);
	} else if (u->kept && budget_used(u->budget) > u->budget->limit) {
		u->spent = true;
		upload_let_go(u);
	}
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
	if (u->failed) {
		return -ECONNABORTED;
	}
	return u->whole ? 0 : -EAGAIN;
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

struct span upload_span(struct upload *u)
{
	expect(u->kept && !u->recorded);
	if (!u->body.n) {
		return (struct span){"", 0};
	}
	if (u->body.n > 1) {
		struct buf bytes = {0};
		chunks_gather(&u->body, &bytes);
		chunks_finish(&u->body);
		chunks_push(&u->body, chunk_make(u->budget, bytes.data, bytes.len));
		buf_finish(&bytes);
		u->next = u->pulled == u->received ? 1 : 0;
		u->offset = u->next ? 0 : (size_t)u->pulled;
	}
	return chunk_span(u->body.items[0]);
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
