#include "base/thread_sched.h"

#include <sched.h>
#include <stdint.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#define SHORT_NS 100000 /* the minimum that the kernel accepts */
#define NICE_INCREMENT 5

/* The first version of sched_setattr(2)'s struct; the C library may lack it and the call. */
struct sched_attr_v0 {
	uint32_t size, policy;
	uint64_t flags;
	int32_t nice;
	uint32_t priority;
	uint64_t runtime, deadline, period;
};

_Static_assert(sizeof(struct sched_attr_v0) == 48, "SCHED_ATTR_SIZE_VER0");

/* tid 0: the calling thread. */
static void set_attr(int tid, struct sched_attr_v0 attr)
{
	attr.size = sizeof(attr);
	(void)!syscall(SYS_sched_setattr, tid, &attr, 0);
}

/* The process may have been started with a nice value. */
static int nice_now(void)
{
	return getpriority(PRIO_PROCESS, 0);
}

void thread_sched_short_slice(void)
{
	set_attr(0, (struct sched_attr_v0){
	                    .policy = SCHED_OTHER, .nice = nice_now(), .runtime = SHORT_NS});
}

void thread_sched_batch(void)
{
	set_attr(0,
	        (struct sched_attr_v0){.policy = SCHED_BATCH, .nice = nice_now() + NICE_INCREMENT});
}

void thread_sched_idle(void)
{
	set_attr(0, (struct sched_attr_v0){.policy = SCHED_IDLE, .nice = nice_now()});
}

bool thread_sched_can_leave_idle(void)
{
	int nice = nice_now();
	struct rlimit limit;
	if (getrlimit(RLIMIT_NICE, &limit) == 0 && limit.rlim_cur >= (rlim_t)(20 - nice)) {
		return true;
	}
	/* Only a process with the capability can lower a nice value beyond the limit. */
	if (setpriority(PRIO_PROCESS, 0, nice - 1) < 0) {
		return false;
	}
	setpriority(PRIO_PROCESS, 0, nice);
	return true;
}

struct sched_thread thread_sched_self(void)
{
	return (struct sched_thread){.tid = (int)syscall(SYS_gettid), .nice = nice_now()};
}

void thread_sched_set_idle(struct sched_thread t, bool idle)
{
	set_attr(t.tid,
	        (struct sched_attr_v0){.policy = idle ? SCHED_IDLE : SCHED_BATCH, .nice = t.nice});
}

void thread_sched_yield(void)
{
	sched_yield();
}
