#pragma once
/*
 * thread_sched - the scheduling class and time slice of threads.
 *
 * Clients wait for an event loop, but nobody waits for the recorder's threads. No call needs a
 * privilege unless it says so. Calls do nothing where the kernel lacks the feature (short slices
 * need Linux 6.12).
 */
#include <stdbool.h>

/* Gives the calling thread a short time slice: when it wakes up, it preempts threads with longer
 * slices. */
void thread_sched_short_slice(void);

/* SCHED_BATCH and a higher nice value: the calling thread preempts no thread that runs. */
void thread_sched_batch(void);

/*
 * SCHED_IDLE: the calling thread runs only while no other thread wants the processor. It needs a
 * privilege to leave this class. On a busy processor it hardly runs; a thread that waits for a lock
 * held by it then hardly runs either.
 */
void thread_sched_idle(void);

/*
 * Whether the calling thread, after thread_sched_batch(), may leave the idle class again: with
 * CAP_SYS_NICE, or with an RLIMIT_NICE that allows its nice value.
 */
bool thread_sched_can_leave_idle(void);

/* Identifies a thread that has called thread_sched_batch(), so that other threads can change its
 * class. */
struct sched_thread {
	int tid, nice;
};
struct sched_thread thread_sched_self(void);

/*
 * Moves a thread into the idle class, or back to where thread_sched_batch() put it. Any thread;
 * needs what thread_sched_can_leave_idle() asks for.
 */
void thread_sched_set_idle(struct sched_thread t, bool idle);

/* Lets waiting threads run first. Without it a thread keeps the processor until the next tick. */
void thread_sched_yield(void);
