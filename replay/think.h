#pragma once
/*
 * think - how long a session waits after an answer before it sends its next turn: a time that is given, or the time that passed
 * there when it was recorded. Sends by their number in the plan. One thread.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/check.h"

struct think_wish {     /* zero-initialised: not at all */
	uint64_t fixed; /* ns */
	bool recorded;  /* instead */
	bool said;      /* by --think: goes before what the source says of a turn */
};

/* "5s", "recorded". */
bool think_parse(const char *text, struct think_wish *ret) MUST_CHECK;

struct think {
	struct think_wish wish;
	uint64_t *over, *answered; /* by send, ns: when it was over here, and there */
};

/* told: the source says of some turns how long. */
void think_init(struct think *t, const struct think_wish *wish, bool told, size_t n_sends);
void think_finish(struct think *t);
/* Its recorded answer ended then, by the wall clock; 0: not known. */
void think_recorded(struct think *t, uint32_t send, uint64_t answered);
/* It is over, by the clock that think_until() is of. One that another process sent never is: its time is long past. */
void think_over(struct think *t, uint32_t send, uint64_t now);
/* Is it known how long was thought after that send, before the turn that came at that time by the wall clock (0: not known), of
 * which the source tells that much (ns; 0: nothing)? Of one that was never over here nobody need know. */
bool think_is_known(const struct think *t, uint32_t after, uint64_t came, uint64_t told);
/* When the turn after that send, which came at that time by the wall clock (0: not known), may go; told as above; 0: at once. */
uint64_t think_until(const struct think *t, uint32_t after, uint64_t came, uint64_t told);
