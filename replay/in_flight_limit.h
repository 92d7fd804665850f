#pragma once
/*
 * in_flight_limit - how many requests this process can have in flight, limited by its file
 * descriptors.
 */

/* Raises the process's limit of file descriptors to its maximum, and returns how many requests
 * may be in flight under it: 16 to 65,536. Any thread. Call it before other code reads the
 * limit. */
unsigned in_flight_limit(void);
