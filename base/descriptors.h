#pragma once
/*
 * descriptors - the limit of this process for open files and sockets. Call these functions before
 * other threads open files or sockets.
 */
#include "base/check.h"

/* Descriptors that the process needs to start: for segments and seals, listeners, one loop, one
 * connection and libraries; and six for each worker. */
#define DESCRIPTORS_TO_BEGIN(workers) (32 + 6 * (workers))

/* Raises RLIMIT_NOFILE to its maximum and returns it. */
unsigned descriptors_raise_limit(void);
/* Raises the limit to its maximum, and opens and closes n descriptors to check that so many are
 * free: libraries end the process if an event loop gets none. Returns NULL or a sentence. */
char *descriptors_require(unsigned n) MUST_CHECK;
