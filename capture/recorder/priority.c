#include "capture/recorder/priority.h"

#include "base/check.h"

const char *const SCHEDULING_NAMES[] = {"batch", "idle", "auto", NULL};

void priority_init(struct priority *p, enum scheduling scheduling)
{
	p->scheduling = scheduling;
}

void priority_join(struct priority *p, unsigned number)
{
	expect(number < PRIORITY_THREADS_LIMIT);
	if (p->scheduling == SCHEDULING_IDLE) {
		thread_sched_idle();
		return;
	}
	thread_sched_batch();
	p->threads[number].thread = thread_sched_self();
	p->threads[number].changes =
	        p->scheduling == SCHEDULING_AUTO && thread_sched_can_leave_idle();
}

void priority_begin_work(struct priority *p, unsigned number)
{
	if (!p->threads[number].changes || p->boosted) {
		return;
	}
	thread_sched_set_idle(p->threads[number].thread, true);
	/* priority_boost() may have reset this thread before it became idle. */
	if (p->boosted) {
		thread_sched_set_idle(p->threads[number].thread, false);
		return;
	}
	p->threads[number].works_idle = true;
}

void priority_end_work(struct priority *p, unsigned number)
{
	if (p->threads[number].works_idle) {
		p->threads[number].works_idle = false;
		thread_sched_set_idle(p->threads[number].thread, false);
	}
}

void priority_boost(struct priority *p, bool boosted)
{
	p->boosted = boosted;
	for (unsigned i = 0; boosted && i < PRIORITY_THREADS_LIMIT; i++) {
		if (p->threads[i].changes) {
			thread_sched_set_idle(p->threads[i].thread, false);
		}
	}
}
