#pragma once
/*
 * budget - one limit for the bytes that the whole process holds for traffic.
 *
 * The relay's buffers have priority: they are counted and never refused. As use grows, the proxy
 * gives up other work in this order:
 *
 *	half of the limit   it keeps no answers for scoring (backends/leg.c)
 *	seven eighths       budget_take() refuses: it makes no further copies (proxy/mirror.c), and
 *	                    cuts the records of answers (backends/leg.c)
 *	the whole limit     it keeps no bodies of requests: it cuts their records and does not copy
 *	                    them (proxy/upload.c)
 *
 * Any thread; lock-free.
 */
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/check.h"

struct budget {
	atomic_size_t used;
	size_t limit; /* bytes; set once, before use */
};

void budget_init(struct budget *b, size_t limit);
void budget_force(struct budget *b, size_t n); /* for the relay: never refused */
/* for copies and records; false: no room */
bool budget_take(struct budget *b, size_t n) MUST_CHECK;
/* The number of bytes that may wait for the slower side of a relay: all of `window` while nothing
 * is used, proportionally fewer near the limit, and 0 at the limit. */
size_t budget_window(const struct budget *b, size_t window);
void budget_give(struct budget *b, size_t n); /* releases n bytes */
size_t budget_used(const struct budget *b);
