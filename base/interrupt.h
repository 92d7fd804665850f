#pragma once
/*
 * interrupt - notices SIGINT and SIGTERM and keeps them from ending the process, so that a command
 * can finish what it began. A second signal does not end it either. System calls that wait fail
 * with EINTR. One user at a time; any thread may call interrupt_caught().
 */
#include <signal.h>
#include <stdbool.h>

struct interrupt {
	struct sigaction before_int, before_term;
};

/* Forgets an earlier signal. */
void interrupt_begin(struct interrupt *i);
/* True if a signal came since interrupt_begin(). */
bool interrupt_caught(void);
/* Takes the signals over again, after other code has set their actions. interrupt_end() still
 * restores those from before interrupt_begin(). */
void interrupt_renew(void);
/* Restores the actions that the signals had before interrupt_begin(). */
void interrupt_end(const struct interrupt *i);
