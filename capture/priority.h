#pragma once
/*
 * priority - which threads of a recorder run at idle priority, and when.
 *
 *	batch   never: always with lower priority than the event loops
 *	idle    always: a thread runs only while no other thread wants the processor
 *	auto    a thread runs at idle priority while it works on an item or a commit and the
 *	        recorder's queue does not lag (queue.h); otherwise as with batch
 *
 * With auto, a thread at idle priority takes no lock of an event loop, so that no loop waits for a
 * thread that does not run. The exception is the allocator: this work frees bodies that were held
 * for redaction, and free() may take a loop's lock. A loop then waits at most QUEUE_LATE_NS. A
 * process that may not leave the idle class runs as with batch.
 *
 * Each thread calls priority_join() first, with a number below PRIORITY_THREADS_LIMIT that no other
 * thread has. priority_boost(): any thread; the recorder calls it when the queue begins or ends to
 * lag.
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
		atomic_bool changes; /* the thread changes between classes (auto) */
		bool works_idle;     /* between begin and end; only the thread itself uses it */
	} threads[PRIORITY_THREADS_LIMIT];
};

void priority_init(struct priority *p, enum scheduling scheduling);
void priority_join(struct priority *p, unsigned number);

/* Before and after work that takes no lock of an event loop. */
void priority_begin_work(struct priority *p, unsigned number);
void priority_end_work(struct priority *p, unsigned number);

/* With true, no thread runs at idle priority until a call with false, not even a thread that is
 * working. */
void priority_boost(struct priority *p, bool boosted);
