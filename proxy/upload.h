#pragma once
/*
 * upload - a request's body on its way to the primary, as chunks that copies and the recorder
 * share.
 *
 * Bytes that the primary has read are freed, unless the body is kept in order to be edited, sent
 * again, copied or recorded whole. The body is no longer kept when it exceeds keep_limit, or when
 * the budget's limit is reached. Bytes that the primary has not read always stay. Part of exchange;
 * loop thread only.
 */
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/chunk.h"

enum upload_input { UPLOAD_OPEN, UPLOAD_COMPLETE, UPLOAD_FAILED /* the rest never comes */ };

struct upload {
	struct budget *budget;
	enum upload_input input;
	struct chunks body;  /* the first `released` chunks are NULL */
	size_t next, offset; /* position of upload_pull(): chunk, and byte in it */
	size_t recorded;     /* number of first chunks that the recorder has */
	size_t released;     /* number of first chunks that were freed */
	/* bytes that came from the client; bytes that the primary has read */
	uint64_t received, pulled;
	uint64_t keep_limit;
	bool kept;        /* the body is kept; no byte of it was freed */
	bool record;      /* chunks stay until the recorder has them, too */
	bool over_budget; /* not kept any more, because the budget's limit was reached */
	bool oversize;    /* not kept any more, because it exceeds keep_limit */
	bool fresh;       /* there are bytes that were not announced to the transport yet */
};

/* record: as the member. */
void upload_init(struct upload *u, struct budget *budget, uint64_t keep_limit, bool record);
void upload_finish(struct upload *u);
void upload_add(struct upload *u, const char *data, size_t len); /* copies the data */
void upload_end(struct upload *u);                               /* the last byte has come */
void upload_fail(struct upload *u);                              /* the rest never comes */
/* call when all bytes were announced to the transport */
void upload_mark_announced(struct upload *u);
/* Frees what the primary has read; from now on the body is not kept. */
void upload_stop_keeping(struct upload *u);
/* Reads the next bytes for the primary; see upstream_pull_fn. */
ssize_t upload_pull(struct upload *u, char *buf, size_t cap);
/* upload_pull() begins again; only while the body is kept */
void upload_rewind(struct upload *u);
uint64_t upload_waiting(const struct upload *u); /* bytes that the primary has not read */
/* Makes the body one chunk. Only while it is kept, and before the recorder has any part of it. */
void upload_join(struct upload *u);
/* the whole body; only while it is kept, after upload_join() */
struct span upload_span(const struct upload *u);
/* Returns references to the chunks that the recorder does not have. They count as recorded from
 * now on. */
struct chunks upload_unrecorded(struct upload *u);
/* The recorder gets no further part of the body, so no chunk stays for it. */
void upload_stop_recording(struct upload *u);
