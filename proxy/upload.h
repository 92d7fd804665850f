#pragma once
/*
 * upload - a request's body on its way to the primary, as chunks that copies and the recorder
 * share.
 *
 * Bytes that the primary has taken are freed, unless the body is kept: to be edited, sent again,
 * copied or recorded whole. Keeping ends when memory_limit is reached or the body exceeds
 * keep_limit; bytes that the primary has not taken always stay. Part of exchange; loop thread only.
 */
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/chunk.h"

enum upload_input { UPLOAD_OPEN, UPLOAD_COMPLETE, UPLOAD_FAILED /* the rest never comes */ };

struct upload {
	struct budget *budget;
	enum upload_input input;
	struct chunks body;        /* the first `released` items are NULL */
	size_t next, offset;       /* position of upload_pull(): item, byte in it */
	size_t recorded;           /* items handed to the recorder */
	size_t released;           /* items freed: all before this one */
	uint64_t received, pulled; /* bytes */
	uint64_t keep_limit;
	bool kept;     /* every byte is still here */
	bool record;   /* items stay until the recorder has them */
	bool spent;    /* keeping ended: memory_limit was reached */
	bool oversize; /* keeping ended: it is longer than keep_limit */
	bool fresh;    /* bytes have arrived that the primary does not know of yet */
};

/* record: see the member. */
void upload_init(struct upload *u, struct budget *budget, uint64_t keep_limit, bool record);
void upload_finish(struct upload *u);
void upload_add(struct upload *u, const char *data, size_t len);
void upload_end(struct upload *u);       /* the last byte has come */
void upload_fail(struct upload *u);      /* the rest never comes */
void upload_mark_told(struct upload *u); /* the primary was told of all bytes */
/* Ends keeping: frees what the primary has taken. */
void upload_stop_keeping(struct upload *u);
/* As upstream_pull_fn. */
ssize_t upload_pull(struct upload *u, char *buf, size_t cap);
void upload_rewind(struct upload *u);            /* to the beginning; only while kept */
uint64_t upload_waiting(const struct upload *u); /* bytes the primary has not taken */
/* Joins the body into one chunk. Only while the body is kept, and before the recorder has any
 * part of it. */
void upload_join(struct upload *u);
struct span upload_span(const struct upload *u); /* the whole body; after upload_join() */
/* References to the items that the recorder does not have; they count as recorded from now on. */
struct chunks upload_unrecorded(struct upload *u);
/* The recorder gets no more of the body. */
void upload_stop_recording(struct upload *u);
