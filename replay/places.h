#pragma once
/*
 * places - how many requests this process may have in flight, for want of descriptors.
 */

/* The most there can be; takes all descriptors that the process may have. Any thread, before others count on the limit. */
unsigned places_most(void);
