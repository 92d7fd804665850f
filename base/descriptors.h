#pragma once
/*
 * descriptors - the limit of open files and sockets of this process. Any thread, before others open
 * some.
 */
#include "base/check.h"

/* Descriptors that the process needs to start: segments and seals, listeners, a loop, a connection,
 * and those of libraries; and a loop and more for each worker. */
#define DESCRIPTORS_TO_BEGIN(workers) (32 + 6 * (workers))

/* Raises RLIMIT_NOFILE to its maximum and returns it. */
unsigned descriptors_take_all(void);
/* Raises the limit. Returns NULL, or a sentence (the caller frees it) if fewer than n are free.
 * Libraries end the process if a loop gets none, so n are opened at once and closed again. */
char *descriptors_want(unsigned n) MUST_CHECK;
