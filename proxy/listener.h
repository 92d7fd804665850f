#pragma once
/*
 * listener - sockets bound before anything else is done, so that a port in use is said at once.
 */
#include <stddef.h>

#include "proxy/settings.h"

/*
 * Binds n sockets to one address (SO_REUSEPORT if n > 1); port 0 gives all of them the same free
 * one. Negative errno: none is left open. -EADDRINUSE also when another process shares its port by
 * SO_REUSEPORT.
 */
int listener_bind(const struct address *address, int *fds, size_t n, uint16_t *ret_port) MUST_CHECK;
