#include <criterion/criterion.h>
#include <pthread.h>
#include <sched.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "capture/recorder/priority.h"

/* Runs in its own thread, because a thread may be unable to undo its priority. */
static void *in_thread(void *(*run)(void *arg), struct priority *p)
{
	pthread_t thread;
	void *found;
	cr_assert_eq(pthread_create(&thread, NULL, run, p), 0);
	pthread_join(thread, &found);
	return found;
}

static int policy(void)
{
	return sched_getscheduler(0);
}

/* The policy before, during and after work, as digits. */
static void *record_work(void *arg)
{
	struct priority *p = arg;
	priority_join(p, 0);
	intptr_t before = policy();
	priority_begin_work(p, 0);
	intptr_t during = policy();
	priority_end_work(p, 0);
	return (void *)(before * 100 + during * 10 + policy());
}

static intptr_t policies(int before, int during, int after)
{
	return before * 100 + during * 10 + after;
}

static intptr_t worked(struct priority *p)
{
	return (intptr_t)in_thread(record_work, p);
}

Test(priority, auto_is_idle_while_it_works_and_batch_around_that)
{
	struct priority p = {0};
	priority_init(&p, SCHEDULING_AUTO);
	cr_expect_eq(worked(&p), policies(SCHED_BATCH, SCHED_IDLE, SCHED_BATCH));
}

Test(priority, work_that_begins_while_records_are_late_is_batch)
{
	struct priority p = {0};
	priority_init(&p, SCHEDULING_AUTO);
	priority_boost(&p, true);
	cr_expect_eq(worked(&p), policies(SCHED_BATCH, SCHED_BATCH, SCHED_BATCH));
	priority_boost(&p, false);
	cr_expect_eq(worked(&p), policies(SCHED_BATCH, SCHED_IDLE, SCHED_BATCH));
}

static void *boosted(void *arg)
{
	priority_boost(arg, true);
	return NULL;
}

static void *record_lifted(void *arg)
{
	struct priority *p = arg;
	priority_join(p, 3);
	priority_begin_work(p, 3);
	intptr_t before = policy();
	in_thread(boosted, p);
	return (void *)policies((int)before, policy(), SCHED_OTHER);
}

Test(priority, a_thread_at_work_is_lifted_when_records_become_late)
{
	struct priority p = {0};
	priority_init(&p, SCHEDULING_AUTO);
	cr_expect_eq((intptr_t)in_thread(record_lifted, &p),
	        policies(SCHED_IDLE, SCHED_BATCH, SCHED_OTHER));
}

Test(priority, batch_and_idle_stay_what_they_are)
{
	struct priority batch = {0}, idle = {0};
	priority_init(&batch, SCHEDULING_BATCH);
	priority_init(&idle, SCHEDULING_IDLE);
	cr_expect_eq(worked(&batch), policies(SCHED_BATCH, SCHED_BATCH, SCHED_BATCH));
	cr_expect_eq(worked(&idle), policies(SCHED_IDLE, SCHED_IDLE, SCHED_IDLE));
}

/* Returns the policy in a process of another user with this limit; -1: it cannot be set. */
static int seen_without_privilege(rlim_t nice_limit)
{
	pid_t child = fork();
	if (child == 0) {
		struct rlimit limit = {nice_limit, nice_limit};
		struct priority p = {0};
		if (setrlimit(RLIMIT_NICE, &limit) < 0 || setgid(65534) < 0 || setuid(65534) < 0) {
			_exit(0);
		}
		priority_init(&p, SCHEDULING_AUTO);
		_exit(worked(&p) == policies(SCHED_BATCH, SCHED_IDLE, SCHED_BATCH) ? SCHED_IDLE
		                                                                   : SCHED_BATCH);
	}
	int status;
	cr_assert_eq(waitpid(child, &status, 0), child);
	cr_assert(WIFEXITED(status));
	return WEXITSTATUS(status) ? WEXITSTATUS(status) : -1;
}

Test(priority, a_process_that_could_not_come_back_from_idle_never_goes_there)
{
	int found = seen_without_privilege(0);
	if (found < 0) {
		cr_skip_test("becomes another user, which root alone can");
	}
	cr_expect_eq(found, SCHED_BATCH);
}

Test(priority, a_limit_of_nice_values_is_privilege_enough)
{
	int found = seen_without_privilege(20);
	if (found < 0) {
		cr_skip_test("raises a limit, for which this process lacks CAP_SYS_RESOURCE");
	}
	cr_expect_eq(found, SCHED_IDLE);
}
