#pragma once
/*
 * thread_sched - the scheduling class and time slice of threads.
 *
 * Clients wait for event loops; nobody waits for the recorder's threads. A call needs a privilege
 * only where stated. Where the kernel lacks a feature, a call does nothing (short slices need Linux
 * 6.12).
 */
#include <stdbool.h>

/* Gives the calling thread a short time slice: when it wakes up, it preempts threads with longer
 * slices. */
void thread_sched_short_slice(void);

/* Gives the calling thread SCHED_BATCH and a higher nice value: it then preempts no running
 * thread. */
void thread_sched_batch(void);

/* Gives the calling thread SCHED_IDLE: it runs only while no other thread wants the processor.
 * Leaving this class needs a privilege. On a busy processor the thread hardly runs, and neither
 * does a thread that waits for a lock that it holds. */
void thread_sched_idle(void);

/* True if the calling thread, after thread_sched_batch(), may leave the idle class again: it has
 * CAP_SYS_NICE, or an RLIMIT_NICE that allows its nice value. */
bool thread_sched_can_leave_idle(void);

/* A thread that has called thread_sched_batch(). With this value other threads can change its
 * class. */
struct sched_thread {
	int tid, nice;
};
struct sched_thread thread_sched_self(void);

/* Moves a thread into the idle class, or back to its class after thread_sched_batch(). Any thread.
 * Needs the privilege of thread_sched_can_leave_idle(). */
void thread_sched_set_idle(struct sched_thread t, bool idle);

/* Lets waiting threads run first. Otherwise a thread keeps the processor until the next tick of
 * the scheduler. */
void thread_sched_yield(void);
