#pragma once
/*
 * exchange_reader - reads the parts of one exchange that are needed to compare its answers:
 * readings, decoding, the request's body, the task. It reads each part only once, when it is first
 * needed. One thread.
 */
#include "analyzer/compare/decoding.h"
#include "analyzer/compare/meaning/task.h"
#include "backends/dialects/dialect.h"
#include "capture/capture.h"

/*
 * What the manifests of a capture state: sampling defaults, and which distribution the logprobs
 * show. A cache of the last STATED_DEFAULTS_LIMIT manifests.
 */
#define STATED_DEFAULTS_LIMIT 64

struct stated {
	struct sampling defaults;
	enum logprobs_basis basis;
};

/* Zero-initialised: empty. Needs no freeing. */
struct stated_defaults {
	struct {
		struct id manifest;
		struct stated stated;
	} items[STATED_DEFAULTS_LIMIT];
	size_t n; /* manifests that were read so far; `items` has the last ones of them */
};

struct exchange_leg {
	struct reading *reading; /* NULL: not read yet, or unreadable */
	bool was_read;
	bool has_facts;
	struct request_facts facts;
};

struct exchange_reader {
	struct capture *capture;
	struct stated_defaults *stated;
	const struct capture_exchange *e;
	struct exchange_leg *legs; /* all legs of the exchange */
	struct buf body;           /* the request's body */
	bool has_body;
	struct task task;
	bool has_task;
};

/* c, stated and e must outlive r, and e must not change. Results live until
 * exchange_reader_finish(). But decoding_side.stated points into `stated`, where the next
 * STATED_DEFAULTS_LIMIT other manifests overwrite it. `leg` is always an index in e. */
void exchange_reader_init(struct exchange_reader *r, struct capture *c,
        struct stated_defaults *stated, const struct capture_exchange *e);
void exchange_reader_finish(struct exchange_reader *r);

/* The reading of the leg's answer, owned by r. NULL: it can't be read. */
const struct reading *exchange_reader_reading(struct exchange_reader *r, size_t leg);
/* How the leg's answer was decoded. */
struct decoding_side exchange_reader_decoding(struct exchange_reader *r, size_t leg);
/* The body of the client's request; empty if it can't be read. */
struct span exchange_reader_body(struct exchange_reader *r);
/* What is known about the request (compare/meaning/task.h); never NULL. */
const struct task *exchange_reader_task(struct exchange_reader *r);
