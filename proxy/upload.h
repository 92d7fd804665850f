#pragma once
/*
 * upload - a request's body on its way to the primary: chunks as they came, which copies and the
 * recorder share.
 *
 * What the primary has taken is given back at once, unless the body is kept: to be edited, sent
 * again, copied or recorded whole. Keeping is a wish that ends when memory is spent or the body
 * grows over the limit; the bytes that the primary has not taken stay in any case. Loop thread
 * only.
 */
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/chunk.h"

enum upload_input { UPLOAD_OPEN, UPLOAD_COMPLETE, UPLOAD_FAILED /* the rest never comes */ };

struct upload {
	struct budget *budget;
	enum upload_input input;
	struct chunks body;        /* the first `released` items are NULL: given back */
	size_t next, offset;       /* where the primary's pull stands: item, byte in it */
	size_t recorded;           /* items that the recorder has */
	size_t released;           /* items that were given back: all before this */
	uint64_t received, pulled; /* bytes */
	uint64_t keep_limit;
	bool kept;     /* every byte is still here */
	bool record;   /* items stay until the recorder has them */
	bool spent;    /* keeping ended because memory was spent */
	bool oversize; /* or because of the limit */
	bool fresh;    /* bytes came that the primary was not told of */
};

/* record: see the member. */
void upload_init(struct upload *u, struct budget *budget, uint64_t keep_limit, bool record);
void upload_finish(struct upload *u);
void upload_add(struct upload *u, const char *data, size_t len);
void upload_end(struct upload *u);       /* the last byte has come */
void upload_fail(struct upload *u);      /* the rest never comes */
void upload_mark_told(struct upload *u); /* the primary was told of all bytes */
/* Ends keeping: what the primary has taken goes. */
void upload_stop_keeping(struct upload *u);
/* As upstream_pull_fn. */
ssize_t upload_pull(struct upload *u, char *buf, size_t cap);
void upload_rewind(struct upload *u);            /* only while kept */
uint64_t upload_waiting(const struct upload *u); /* bytes the primary has not taken */
/* Makes one chunk of it; only while kept, and before the recorder has any. */
void upload_join(struct upload *u);
struct span upload_span(const struct upload *u); /* the whole body, once it is one piece */
/* The items that the recorder does not have yet, referenced; it has them now. */
struct chunks upload_unrecorded(struct upload *u);
/* The recorder wants no more. */
void upload_stop_recording(struct upload *u);
