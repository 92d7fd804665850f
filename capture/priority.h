#pragma once
/*
 * priority - which threads of a recorder run at idle priority, and when.
 *
 *	batch   behind the event loops, always
 *	idle    only while nobody else wants the processor, always
 *	auto    at idle priority while they work on an item or a commit, and no record is late;
 *	        else as batch
 *
 * With auto a thread takes no lock of an event loop while it runs at idle priority, so that no loop
 * waits for a thread that does not run. The allocator's locks are an exception: bodies that were
 * held for redaction are freed while it works. QUEUE_LATE_NS bounds such a wait. A process that may not leave the idle class
 * (thread_sched_can_leave_idle()) runs as with batch.
 *
 * priority_join() comes first in each thread, with a number of its own. priority_hurry(): any
 * thread.
 */
#include <stdatomic.h>
#include <stdbool.h>

#include "base/thread_sched.h"

#define PRIORITY_THREADS_LIMIT 65

enum scheduling { SCHEDULING_BATCH, SCHEDULING_IDLE, SCHEDULING_AUTO };
extern const char *const SCHEDULING_NAMES[]; /* in that order, then NULL */

struct priority {
	enum scheduling scheduling;
	atomic_bool hurry;
	struct {
		struct sched_thread thread;
		atomic_bool changes; /* between classes, as auto does */
	} threads[PRIORITY_THREADS_LIMIT];
};

void priority_init(struct priority *p, enum scheduling scheduling);
void priority_join(struct priority *p, unsigned number);

/* Before and after work that takes no lock of an event loop. */
void priority_begin_work(struct priority *p, unsigned number);
void priority_end_work(struct priority *p, unsigned number);

/* With true no thread runs at idle priority, also one that is at work, until it is called with
 * false. */
void priority_hurry(struct priority *p, bool hurry);
