#pragma once
/*
 * client_timeouts - disconnects clients that send or read nothing for too long
 * (`clients.*_timeout`), or that have gone. Part of client; loop thread only.
 */
#include <stdbool.h>
#include <stdint.h>

struct client;

/* Checks one client's timeouts, and whether its peer has closed the connection. May disconnect
 * it. now: clock_mono() ns. */
void client_timeouts_check(struct client *c, uint64_t now);
/* True if the client has been between requests for more than a second. */
bool client_timeouts_is_idle(const struct client *c, uint64_t now);
