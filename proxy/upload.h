#pragma once
/*
 * upload - a request's body on its way to the primary, as chunks that copies and the recorder
 * share.
 *
 * Bytes that the primary has read are freed, unless the body is kept in order to be edited, sent
 * again, copied or recorded whole. It is no longer kept once memory_limit is reached or the body
 * exceeds keep_limit. Bytes that the primary has not read always stay. Part of exchange; loop
 * thread only.
 */
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/chunk.h"

enum upload_input { UPLOAD_OPEN, UPLOAD_COMPLETE, UPLOAD_FAILED /* the rest never comes */ };

struct upload {
	struct budget *budget;
	enum upload_input input;
	struct chunks body;        /* the first `released` chunks are NULL */
	size_t next, offset;       /* position of upload_pull(): chunk, byte in it */
	size_t recorded;           /* chunks that the recorder has */
	size_t released;           /* chunks that were freed: the first ones */
	uint64_t received, pulled; /* bytes */
	uint64_t keep_limit;
	bool kept;     /* no byte was freed */
	bool record;   /* chunks stay until the recorder has them */
	bool spent;    /* not kept any more: memory_limit was reached */
	bool oversize; /* not kept any more: it is longer than keep_limit */
	bool fresh;    /* there are bytes that were not announced to the transport */
};

/* record: see the member. */
void upload_init(struct upload *u, struct budget *budget, uint64_t keep_limit, bool record);
void upload_finish(struct upload *u);
void upload_add(struct upload *u, const char *data, size_t len);
void upload_end(struct upload *u);            /* the last byte has come */
void upload_fail(struct upload *u);           /* the rest never comes */
void upload_mark_announced(struct upload *u); /* all bytes were announced to the transport */
/* Frees what the primary has read; from now on the body is not kept. */
void upload_stop_keeping(struct upload *u);
/* As upstream_pull_fn. */
ssize_t upload_pull(struct upload *u, char *buf, size_t cap);
void upload_rewind(struct upload *u);            /* to the beginning; only while kept */
uint64_t upload_waiting(const struct upload *u); /* bytes that the primary has not read */
/* Joins the body into one chunk. Only while the body is kept, and before the recorder has any
 * part of it. */
void upload_join(struct upload *u);
struct span upload_span(const struct upload *u); /* the whole body; after upload_join() */
/* References to the chunks that the recorder does not have. They count as recorded from now on. */
struct chunks upload_unrecorded(struct upload *u);
/* The recorder gets no further part of the body. */
void upload_stop_recording(struct upload *u);
