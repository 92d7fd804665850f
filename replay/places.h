#pragma once
/*
 * places - how many requests this process can have in flight with its limit of file descriptors.
 */

/* Raises the limit of file descriptors to its maximum and returns how many requests it allows.
 * Any thread; call it before other code relies on the limit. */
unsigned places_most(void);
