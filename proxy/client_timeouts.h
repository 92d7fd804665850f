#pragma once
/*
 * client_timeouts - ends clients that send or take nothing for too long (`clients.*_timeout`), or
 * that have gone. Part of client; loop thread only.
 */
#include <stdbool.h>
#include <stdint.h>

struct client;

/* Compares the clock, and polls the socket if reading is stopped. May disconnect the client. */
void client_timeouts_check(struct client *c, uint64_t now);
/* It has been between requests for a second. */
bool client_timeouts_is_idle(const struct client *c, uint64_t now);
