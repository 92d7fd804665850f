#pragma once
/*
 * priority - which threads of a recorder run at idle priority, and when.
 *
 *	batch   always with lower priority than the event loops
 *	idle    always at idle priority: only while no other thread wants the processor
 *	auto    at idle priority while a thread works on an item or a commit and no record is late;
 *	        else as batch
 *
 * With auto, a thread at idle priority takes no lock of an event loop, so that no loop waits for a
 * thread that does not run. The allocator's locks are an exception: bodies that were held for
 * redaction are freed during this work. Such a wait is limited to QUEUE_LATE_NS. A process that may
 * not leave the idle class runs as with batch.
 *
 * Each thread first calls priority_join() with its own number. priority_hurry(): any thread.
 */
#include <stdatomic.h>
#include <stdbool.h>

#include "base/thread_sched.h"

#define PRIORITY_THREADS_LIMIT 65

enum scheduling { SCHEDULING_BATCH, SCHEDULING_IDLE, SCHEDULING_AUTO };
extern const char *const SCHEDULING_NAMES[]; /* in this order, then NULL */

struct priority {
	enum scheduling scheduling;
	atomic_bool hurry;
	struct {
		struct sched_thread thread;
		atomic_bool changes; /* changes between classes (auto) */
	} threads[PRIORITY_THREADS_LIMIT];
};

void priority_init(struct priority *p, enum scheduling scheduling);
void priority_join(struct priority *p, unsigned number);

/* Before and after work that takes no lock of an event loop. */
void priority_begin_work(struct priority *p, unsigned number);
void priority_end_work(struct priority *p, unsigned number);

/* true: no thread runs at idle priority, not even one that is working, until a call with false. */
void priority_hurry(struct priority *p, bool hurry);
