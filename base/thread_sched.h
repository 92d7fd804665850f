#pragma once
/*
 * thread_sched - how threads compete for a processor.
 *
 * An event loop has a client that waits; the recorder's threads have time. All calls need no
 * privilege unless they say so, and change nothing where the kernel does not support them (short
 * slices need Linux 6.12).
 */
#include <stdbool.h>

/* Gives the calling thread a short time slice: when it wakes, it preempts threads with longer ones.
 */
void thread_sched_short_slice(void);

/* The calling thread no longer preempts a thread that woke up, and is preempted sooner. */
void thread_sched_batch(void);

/*
 * The calling thread runs only while nobody else wants the processor, and is preempted at once.
 * Without a privilege it can't leave this class again. On a processor that others keep busy it
 * hardly runs, and neither does a thread that waits for a lock that it holds.
 */
void thread_sched_idle(void);

/* May a thread after thread_sched_batch() leave the idle class again? With CAP_SYS_NICE, or a
 * RLIMIT_NICE that allows its nice value. Asked by such a thread, about itself. */
bool thread_sched_can_leave_idle(void);

/* A thread after thread_sched_batch(), as other threads name it. */
struct sched_thread {
	int tid, nice;
};
struct sched_thread thread_sched_self(void);

/* Moves a thread into the idle class, or back to where thread_sched_batch() had put it. Any thread; needs
 * what thread_sched_can_leave_idle() asks for. */
void thread_sched_set_idle(struct sched_thread t, bool idle);

/* Lets other threads that wait go first, between two pieces of work: a thread would else keep the
 * processor until the kernel's next tick. */
void thread_sched_yield(void);
