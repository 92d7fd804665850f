#pragma once
/*
 * listener - binds listening sockets, or takes those that the service manager passed.
 *
 * Everything is bound before a thread starts, so that a port in use is reported at once. A passed
 * socket lets a restart refuse no client.
 */
#include <stdbool.h>
#include <stddef.h>

#include "proxy/settings/settings.h"

/*
 * Binds n sockets to one address, with SO_REUSEPORT if n > 1 or share. Port 0: all sockets get the
 * same free port. On failure returns a negative errno and leaves no socket open. Without share, a
 * port in use gives -EADDRINUSE, also if the other process uses SO_REUSEPORT.
 */
int listener_bind(const struct address *address, bool share, int *fds, size_t n,
        uint16_t *ret_port) MUST_CHECK;

/*
 * Fills fds with n descriptors of one socket that was passed by systemd's protocol (LISTEN_PID,
 * LISTEN_FDS, LISTEN_FDNAMES). admin: the socket named "admin"; otherwise the first socket with
 * another name. All n share one backlog. -ENOENT: no such socket was passed; -ENOTSOCK: it is no
 * TCP socket. The original descriptor stays open for further calls.
 */
int listener_inherit(bool admin, int *fds, size_t n, uint16_t *ret_port) MUST_CHECK;
/* The address of the socket that listener_inherit() finds, with the same errors. The caller
 * frees its texts. */
int listener_inherited_at(bool admin, struct address *ret) MUST_CHECK;
