#pragma once
/*
 * interrupt - notices SIGINT and SIGTERM, which then do not end the process, so that a command can
 * finish what it began. One user at a time; interrupt_caught() may be called by any thread.
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
/* Takes over again, after other code has set the signals' actions. */
void interrupt_renew(void);
/* Restores the actions that the signals had before interrupt_begin(). */
void interrupt_end(const struct interrupt *i);
