#pragma once
/*
 * turn - which threads the kernel lets go first.
 *
 * Event loops answer somebody who waits; what works behind them has time. All calls are about the calling thread, need no
 * privilege, and change nothing where the kernel knows less (short turns come with Linux 6.12).
 */

/* Its turns are short: when it is woken it takes the processor from a thread whose turns are longer. */
void turn_short(void);
/* It neither takes a processor from one that was woken, nor keeps it long. */
void turn_behind(void);
/*
 * It has a processor only while nobody else wants it, and gives it back at once. For good: without a privilege a thread can't leave this. Where
 * others keep all processors busy it hardly comes on, and neither do those who wait for a lock that it holds.
 */
void turn_idle(void);
/* Between two pieces of work: lets those go first who wait. What works behind would else keep a processor until the kernel's next tick. */
void turn_pass(void);
