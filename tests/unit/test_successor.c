#include "proxy/successor.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <criterion/criterion.h>

/* Opens a socket that shares its port; 0: any port. */
static int bound(const char *host, uint16_t port)
{
	struct sockaddr_in a = {.sin_family = AF_INET, .sin_port = htons(port)};
	int one = 1, fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	inet_pton(AF_INET, host, &a.sin_addr);
	cr_assert_eq(setsockopt(fd, SOL_SOCKET, SO_REUSEPORT, &one, sizeof(one)), 0);
	cr_assert_eq(bind(fd, (const struct sockaddr *)&a, sizeof(a)), 0);
	return fd;
}

static uint16_t port_of(int fd)
{
	struct sockaddr_in a;
	socklen_t size = sizeof(a);
	cr_assert_eq(getsockname(fd, (struct sockaddr *)&a, &size), 0);
	return ntohs(a.sin_port);
}

Test(successor, is_who_listens_at_the_same_address_and_not_who_only_holds_it)
{
	int own = bound("127.0.0.1", 0);
	cr_assert_eq(listen(own, 1), 0);
	cr_expect_not(successor_listens(own), "nobody is there but itself");
	int other = bound("127.0.0.1", port_of(own));
	cr_expect_not(successor_listens(own), "it is bound, but does not listen yet");
	cr_assert_eq(listen(other, 1), 0);
	cr_expect(successor_listens(own));
	cr_expect(successor_listens(other), "they are two, whoever asks");
	close(other);
	cr_expect_not(successor_listens(own), "it has gone");
	close(own);
}

Test(successor, is_not_who_listens_at_another_address_or_talks_on_the_port)
{
	int own = bound("127.0.0.1", 0), elsewhere = bound("127.0.0.2", port_of(own));
	cr_assert_eq(listen(own, 1), 0);
	cr_assert_eq(listen(elsewhere, 1), 0);
	cr_expect_not(successor_listens(own));
	struct sockaddr_in a = {.sin_family = AF_INET, .sin_port = htons(port_of(own))};
	a.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	int client = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	cr_assert_eq(connect(client, (const struct sockaddr *)&a, sizeof(a)), 0);
	int accepted = accept(own, NULL, NULL);
	cr_expect_not(successor_listens(own));
	close(accepted);
	close(client);
	close(elsewhere);
	close(own);
}

Test(successor, what_is_no_socket_has_none)
{
	cr_expect_not(successor_listens(-1));
	cr_expect_not(successor_listens(STDIN_FILENO));
	int fds[2];
	cr_assert_eq(socketpair(AF_UNIX, SOCK_STREAM, 0, fds), 0);
	cr_expect_not(successor_listens(fds[0]));
	close(fds[0]);
	close(fds[1]);
}
