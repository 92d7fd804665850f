#pragma once
/*
 * descriptors - how many files and sockets this process may have open. Any thread, before others open some.
 */
#include "base/check.h"

/* To begin with: segments and their seals, listeners, a loop, a connection, and what libraries keep; and of each worker a loop and what
 * is its own. */
#define DESCRIPTORS_TO_BEGIN(workers) (32 + 6 * (workers))

/* Takes all that it may have (RLIMIT_NOFILE), and says how many that is. */
unsigned descriptors_take_all(void);
/* Takes all. NULL, or a sentence (the caller frees it): fewer than n are left. Libraries end the process where they find none for a
 * loop: so many are opened at once, and given back. */
char *descriptors_want(unsigned n) MUST_CHECK;
