#pragma once
/*
 * descriptors - how many files and sockets this process may have open. Any thread, before others open some.
 */
#include <stdbool.h>

/* Takes all that it may have (RLIMIT_NOFILE), and says how many that is. */
unsigned descriptors_take_all(void);
/* Are so many left? Libraries end the process where they find none for a loop: they are opened at once, and given back. */
bool descriptors_left(unsigned n);
