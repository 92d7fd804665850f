#pragma once
/*
 * places - how many requests this process can have in flight, by its file descriptors.
 */

/* Raises the limit of descriptors to its maximum and returns how many requests it allows. Any
 * thread, before others rely on the limit. */
unsigned places_most(void);
