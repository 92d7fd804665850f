#pragma once
/*
 * exchange_reader - what is read of one exchange to compare its answers: readings, requests as they were sent,
 * the task. Each is read once, when it is first asked for.
 */
#include "analyzer/rows/stated_defaults.h"
#include "analyzer/compare/decoding.h"
#include "analyzer/compare/meaning/task.h"
#include "capture/capture.h"

struct exchange_leg {
	struct reading *reading; /* NULL until asked for, and when it can't be had */
	bool was_read;
	bool has_facts;
	struct request_facts facts;
};

struct exchange_reader {
	struct capture *capture;
	struct stated_defaults *told;
	const struct capture_exchange *e;
	struct exchange_leg *legs; /* as many as the exchange has */
	struct buf body;           /* the request's */
	bool has_body;
	struct task task;
	bool has_task;
};

/* All three outlive it; e must not change meanwhile. What follows lives until exchange_reader_finish(). */
void exchange_reader_init(struct exchange_reader *r, struct capture *c,
        struct stated_defaults *told, const struct capture_exchange *e);
void exchange_reader_finish(struct exchange_reader *r);

/* NULL: it can't be had. */
const struct reading *exchange_reader_reading(struct exchange_reader *r, size_t leg);
/* What was asked of that leg. */
const struct request_facts *exchange_reader_facts(struct exchange_reader *r, size_t leg);
/* How that leg's answer was decoded. */
struct decoding_side exchange_reader_decoding(struct exchange_reader *r, size_t leg);
/* The request's; empty where it can't be had. */
struct span exchange_reader_body(struct exchange_reader *r);
const struct task *exchange_reader_task(struct exchange_reader *r);
