#pragma once
/*
 * retry - which failed requests a replay sends again, and how long it waits before that. Pure.
 *
 * The pause is half a second and doubles each time, up to RETRY_PAUSE_LIMIT. The answer's
 * Retry-After (seconds or a date) overrides it, up to RETRY_AFTER_LIMIT.
 */
#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"

#define RETRY_LIMIT 10                                          /* the most retries of a request */
#define RETRY_PAUSE_LIMIT (UINT64_C(30) * UINT64_C(1000000000)) /* ns */
#define RETRY_AFTER_LIMIT (UINT64_C(60) * UINT64_C(1000000000)) /* ns */

/* True for a status that means "not now": 429, 502, 503, 504. */
bool retry_applies(int status);
/* The pause in ns before the next try. before: the number of retries so far. after: the value of
 * Retry-After, or empty. wall_ns: now. */
uint64_t retry_pause(unsigned before, struct span after, uint64_t wall_ns);
