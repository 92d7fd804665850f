#include "base/interrupt.h"

#include <stddef.h>

static volatile sig_atomic_t caught;

static void on_signal(int number)
{
	caught = 1;
}

static const struct sigaction NOTICE = {.sa_handler = on_signal};

void interrupt_begin(struct interrupt *i)
{
	caught = 0;
	sigaction(SIGINT, &NOTICE, &i->before_int);
	sigaction(SIGTERM, &NOTICE, &i->before_term);
}

bool interrupt_caught(void)
{
	return caught;
}

void interrupt_renew(void)
{
	sigaction(SIGINT, &NOTICE, NULL);
	sigaction(SIGTERM, &NOTICE, NULL);
}

void interrupt_end(const struct interrupt *i)
{
	sigaction(SIGINT, &i->before_int, NULL);
	sigaction(SIGTERM, &i->before_term, NULL);
}
