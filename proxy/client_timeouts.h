#pragma once
/*
 * client_timeouts - how long a client is waited for: its head, its body, its next request, its taking what
 * was sent.
 *
 * A part of client; loop thread only.
 */
#include <stdbool.h>
#include <stdint.h>

struct client;

/* A look at the clock and, if the client isn't read from, at its socket. May disconnect it. */
void client_timeouts_check(struct client *c, uint64_t now);
/* It has had no request for a second. */
bool client_timeouts_is_idle(const struct client *c, uint64_t now);
