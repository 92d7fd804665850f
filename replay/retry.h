#pragma once
/*
 * retry - which requests of a replay are worth another try, and the pause before it. Pure.
 *
 * A pause is half a second, then twice as long each time, at most RETRY_PAUSE_LIMIT; an engine that says
 * how long to wait (Retry-After: seconds or a date) is given that time, at most RETRY_AFTER_LIMIT.
 */
#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"

#define RETRY_LIMIT 10                                          /* tries after the first */
#define RETRY_PAUSE_LIMIT (UINT64_C(30) * UINT64_C(1000000000)) /* ns */
#define RETRY_AFTER_LIMIT (UINT64_C(60) * UINT64_C(1000000000)) /* ns */

/* A status that says "not now": 429, 502, 503 and 504. */
bool retry_takes(int status);
/* ns before the next try, after so many that followed the first; after: Retry-After's value, or empty. */
uint64_t retry_pause(unsigned before, struct span after, uint64_t wall_ns);
