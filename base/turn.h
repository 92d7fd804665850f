#pragma once
/*
 * turn - how threads compete for a processor.
 *
 * An event loop has a client that waits; the recorder's threads have time. All calls need no
 * privilege unless they say so, and change nothing where the kernel does not support them (short
 * slices need Linux 6.12).
 */
#include <stdbool.h>

/* Gives the calling thread a short time slice: when it wakes, it preempts threads with longer ones.
 */
void turn_short(void);

/* The calling thread no longer preempts a thread that woke up, and is preempted sooner. */
void turn_behind(void);

/*
 * The calling thread runs only while nobody else wants the processor, and is preempted at once.
 * Without a privilege it can't leave this class again. On a processor that others keep busy it
 * hardly runs, and neither does a thread that waits for a lock that it holds.
 */
void turn_idle(void);

/* May a thread after turn_behind() leave the idle class again? With CAP_SYS_NICE, or a
 * RLIMIT_NICE that allows its nice value. Asked by such a thread, about itself. */
bool turn_can_leave_idle(void);

/* A thread after turn_behind(), as other threads name it. */
struct turn_thread {
	int tid, nice;
};
struct turn_thread turn_this_thread(void);

/* Moves a thread into the idle class, or back to where turn_behind() had put it. Any thread; needs
 * what turn_can_leave_idle() asks for. */
void turn_set_idle(struct turn_thread t, bool idle);

/* Lets other threads that wait go first, between two pieces of work: a thread would else keep the
 * processor until the kernel's next tick. */
void turn_pass(void);
