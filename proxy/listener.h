#pragma once
/*
 * listener - sockets bound before anything else is done, so that a port in use is said at once; or
 * inherited from whoever started this process, so that a restart refuses no client.
 */
#include <stdbool.h>
#include <stddef.h>

#include "proxy/settings/settings.h"

/*
 * Binds n sockets to one address (SO_REUSEPORT if n > 1 or share); port 0 gives all of them the same
 * free one. Negative errno: none is left open. Without share -EADDRINUSE also when another process
 * shares its port by SO_REUSEPORT.
 */
int listener_bind(const struct address *address, bool share, int *fds, size_t n,
        uint16_t *ret_port) MUST_CHECK;

/*
 * The socket that came by systemd's protocol (LISTEN_PID, LISTEN_FDS, LISTEN_FDNAMES), n descriptors of
 * it: with admin the one of that name, else the first of another name. All of them queue for the same
 * connections. -ENOENT: none came; -ENOTSOCK: it is no stream socket of IP. Leaves the original open for
 * a further call.
 */
int listener_inherit(bool admin, int *fds, size_t n, uint16_t *ret_port) MUST_CHECK;
/* Where that socket listens; what *ret holds is the caller's. Errors as above. */
int listener_inherited_at(bool admin, struct address *ret) MUST_CHECK;
