#pragma once
/*
 * in_flight_limit - how many requests this process can have in flight, limited by its file
 * descriptors.
 */

/* Raises the process's limit of file descriptors to its maximum, and returns how many requests
 * it allows. Any thread. Call it before other code depends on the limit. */
unsigned in_flight_limit(void);
