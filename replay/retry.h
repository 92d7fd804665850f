#pragma once
/*
 * retry - which refused requests a replay sends again, and how long it waits before that. Pure.
 *
 * The pause is half a second and doubles with each retry of the request, up to RETRY_PAUSE_LIMIT.
 * If the answer has Retry-After (seconds or a date; at most RETRY_AFTER_LIMIT), the replay waits
 * for the longer of the two times.
 */
#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"

/* the most retries of one request */
#define RETRY_LIMIT 10
#define RETRY_PAUSE_LIMIT (UINT64_C(30) * UINT64_C(1000000000)) /* ns */
#define RETRY_AFTER_LIMIT (UINT64_C(60) * UINT64_C(1000000000)) /* ns */

/* True for a status that means "not now": 429, 502, 503, 504. */
bool retry_applies(int status);
/* The pause in ns before the next try. before: the number of retries so far, below RETRY_LIMIT.
 * after: the value of Retry-After; one that cannot be read counts as absent. wall_ns: the
 * present time. */
uint64_t retry_pause(unsigned before, struct span after, uint64_t wall_ns);
