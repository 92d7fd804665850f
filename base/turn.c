#include "base/turn.h"

#include <sched.h>
#include <stdint.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#define SHORT_NS 100000 /* the least that the kernel takes */
#define BEHIND_NICE 5

/* sched_setattr(2)'s first version; the C library has neither it nor the call. */
struct wish {
	uint32_t size, policy;
	uint64_t flags;
	int32_t nice;
	uint32_t priority;
	uint64_t runtime, deadline, period;
};

_Static_assert(sizeof(struct wish) == 48, "SCHED_ATTR_SIZE_VER0");

/* nice: beside what the thread has, which whoever started the process may have chosen. */
static void ask(struct wish wish)
{
	wish.size = sizeof(wish);
	wish.nice += getpriority(PRIO_PROCESS, 0);
	(void)!syscall(SYS_sched_setattr, 0, &wish, 0);
}

void turn_short(void)
{
	ask((struct wish){.policy = SCHED_OTHER, .runtime = SHORT_NS});
}

void turn_behind(void)
{
	ask((struct wish){.policy = SCHED_BATCH, .nice = BEHIND_NICE});
}

void turn_idle(void)
{
	ask((struct wish){.policy = SCHED_IDLE});
}

void turn_pass(void)
{
	sched_yield();
}
