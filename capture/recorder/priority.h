#pragma once
/*
 * priority - which threads of a recorder run at idle priority, and when.
 *
 *	batch   none, never; all have lower priority than the event loops (SCHED_BATCH)
 *	idle    all, always: they run only while no other thread wants the processor (SCHED_IDLE)
 *	auto    a thread runs at idle priority while it works on an item or a commit and the
 *	        recorder's queue does not lag (queue.h); otherwise as with batch
 *
 * With auto, a thread at idle priority takes no lock of an event loop, so that no loop waits for a
 * thread that does not run. The exception is the allocator: an encoder frees bodies that were held
 * for redaction, and free() may take a loop's lock. A loop then waits at most QUEUE_LATE_NS. In a
 * process that may not leave the idle class, auto means batch.
 *
 * Each thread calls priority_join() first, with a number below PRIORITY_THREADS_LIMIT that no other
 * thread has, and passes this number in its further calls. priority_boost(): any thread; the
 * recorder calls it when the queue begins or ceases to lag.
 */
#include <stdatomic.h>
#include <stdbool.h>

#include "base/thread_sched.h"

#define PRIORITY_THREADS_LIMIT 65

enum scheduling { SCHEDULING_BATCH, SCHEDULING_IDLE, SCHEDULING_AUTO };
extern const char *const SCHEDULING_NAMES[]; /* names of enum scheduling, then NULL */

struct priority {
	enum scheduling scheduling;
	atomic_bool boosted;
	struct {
		struct sched_thread thread;
		atomic_bool changes; /* auto: it may change between the classes */
		bool works_idle;     /* its work began at idle priority; for itself only */
	} threads[PRIORITY_THREADS_LIMIT];
};

/* *p must be zero-initialised. */
void priority_init(struct priority *p, enum scheduling scheduling);
void priority_join(struct priority *p, unsigned number);

/* Before and after work that takes no lock of an event loop. */
void priority_begin_work(struct priority *p, unsigned number);
void priority_end_work(struct priority *p, unsigned number);

/* true: from now on no thread runs at idle priority, not even one that is working. false: threads
 * may do so again, from their next work on. Only auto heeds it. */
void priority_boost(struct priority *p, bool boosted);
