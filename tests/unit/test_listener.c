#include "proxy/listener.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include <criterion/criterion.h>

static struct address any(uint16_t port)
{
	return (struct address){.text = "127.0.0.1", .host = "127.0.0.1", .port = port};
}

static void close_all(int *fds, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		close(fds[i]);
	}
}

Test(listener, gives_all_sockets_the_same_free_port)
{
	struct address a = any(0);
	int fds[3];
	uint16_t port = 0;
	cr_assert_eq(listener_bind(&a, false, fds, 3, &port), 0);
	cr_expect_neq(port, 0);
	for (size_t i = 0; i < 3; i++) {
		cr_expect_eq(listen(fds[i], 1), 0);
	}
	close_all(fds, 3);
}

Test(listener, refuses_a_port_that_somebody_listens_on_even_if_he_shares_it)
{
	struct address a = any(0);
	int taken[2], fds[2];
	uint16_t port, unused;
	cr_assert_eq(listener_bind(&a, false, taken, 2, &port), 0);
	cr_assert_eq(listen(taken[0], 1), 0);
	struct address same = any(port);
	cr_expect_eq(listener_bind(&same, false, fds, 1, &unused), -EADDRINUSE);
	cr_expect_eq(listener_bind(&same, false, fds, 2, &unused), -EADDRINUSE);
	close_all(taken, 2);
}

Test(listener, a_bound_port_does_not_accept_before_it_listens)
{
	struct address a = any(0);
	int fd, on = -1;
	uint16_t port;
	socklen_t len = sizeof(on);
	cr_assert_eq(listener_bind(&a, false, &fd, 1, &port), 0);
	cr_assert_eq(getsockopt(fd, SOL_SOCKET, SO_ACCEPTCONN, &on, &len), 0);
	cr_expect_eq(on, 0);
	close(fd);
}

Test(listener, says_what_is_wrong_with_a_host_that_is_not_here)
{
	struct address a = {.text = "x", .host = "192.0.2.1", .port = 1};
	int fd;
	uint16_t port;
	cr_expect_eq(listener_bind(&a, false, &fd, 1, &port), -EADDRNOTAVAIL);
}

Test(listener, shares_a_port_with_another_process_if_it_is_told_to)
{
	struct address a = any(0);
	int old[2], fresh[2];
	uint16_t port, again;
	cr_assert_eq(listener_bind(&a, true, old, 2, &port), 0);
	cr_assert_eq(listen(old[0], 1), 0);
	struct address same = any(port);
	cr_assert_eq(listener_bind(&same, true, fresh, 2, &again), 0);
	cr_expect_eq(again, port);
	close_all(old, 2);
	close_all(fresh, 2);
}

Test(listener, what_was_meant_for_another_process_is_not_inherited)
{
	int fd;
	uint16_t port;
	setenv("LISTEN_FDS", "1", 1);
	setenv("LISTEN_PID", "1", 1);
	cr_expect_eq(listener_inherit(false, &fd, 1, &port), -ENOENT);
}
