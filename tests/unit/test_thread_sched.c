#include <criterion/criterion.h>
#include <pthread.h>
#include <sched.h>
#include <sys/resource.h>

#include "base/thread_sched.h"

static void *note_behind(void *arg)
{
	int *ret = arg;
	thread_sched_batch();
	ret[0] = sched_getscheduler(0);
	ret[1] = getpriority(PRIO_PROCESS, 0);
	return NULL;
}

static void *note_idle(void *arg)
{
	int *ret = arg;
	thread_sched_idle();
	*ret = sched_getscheduler(0);
	return NULL;
}

Test(thread_sched, what_works_behind_others_says_so_of_its_own_thread_alone)
{
	int before = getpriority(PRIO_PROCESS, 0), found[2];
	pthread_t thread;
	cr_assert_eq(pthread_create(&thread, NULL, note_behind, found), 0);
	pthread_join(thread, NULL);
	cr_expect_eq(found[0], SCHED_BATCH);
	cr_expect_eq(found[1], before + 5 > 19 ? 19 : before + 5);
	cr_expect_eq(sched_getscheduler(0), SCHED_OTHER);
	cr_expect_eq(getpriority(PRIO_PROCESS, 0), before);
}

Test(thread_sched, what_works_in_idle_time_says_so_of_its_own_thread_alone)
{
	int found;
	pthread_t thread;
	cr_assert_eq(pthread_create(&thread, NULL, note_idle, &found), 0);
	pthread_join(thread, NULL);
	cr_expect_eq(found, SCHED_IDLE);
	cr_expect_eq(sched_getscheduler(0), SCHED_OTHER);
}

Test(thread_sched, short_turns_leave_a_thread_what_it_was)
{
	int before = getpriority(PRIO_PROCESS, 0);
	thread_sched_short_slice();
	cr_expect_eq(sched_getscheduler(0), SCHED_OTHER);
	cr_expect_eq(getpriority(PRIO_PROCESS, 0), before);
}
