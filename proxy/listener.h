#pragma once
/*
 * listener - binds listening sockets, or takes those that the service manager passed.
 *
 * Everything is bound before a thread starts, so that a port in use is reported at once. With a
 * passed socket, the proxy can restart without refusing a client.
 */
#include <stdbool.h>
#include <stddef.h>

#include "proxy/settings/settings.h"

/*
 * Binds n sockets to one address; n above 1: with SO_REUSEPORT, one for each worker. Port 0: all
 * get the same free port. On failure returns a negative errno and leaves no socket open.
 *
 *	share true   other processes may bind the port too, by SO_REUSEPORT
 *	share false  -EADDRINUSE if another process uses the port, also with SO_REUSEPORT
 */
int listener_bind(const struct address *address, bool share, int *fds, size_t n,
        uint16_t *ret_port) MUST_CHECK;

/*
 * Fills fds with n descriptors of one socket that the service manager passed by systemd's protocol
 * (LISTEN_PID, LISTEN_FDS, LISTEN_FDNAMES). All n share one backlog.
 *
 *	admin true   the socket with the name "admin"
 *	admin false  the first socket with another name
 *	-ENOENT      no such socket was passed
 *	-ENOTSOCK    it is no TCP socket
 *
 * The original descriptor stays open for further calls.
 */
int listener_inherit(bool admin, int *fds, size_t n, uint16_t *ret_port) MUST_CHECK;
/* The address of the socket that listener_inherit() finds, with the same errors. The caller
 * frees its texts. */
int listener_inherited_at(bool admin, struct address *ret) MUST_CHECK;
