#include "proxy/successor.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <unistd.h>

#include <linux/inet_diag.h>
#include <linux/netlink.h>
#include <linux/sock_diag.h>

#include "base/check.h"

/* The address where fd listens, in the form of the kernel's replies. */
struct endpoint_address {
	uint8_t family;
	uint16_t port; /* network order */
	unsigned char address[16];
	size_t address_len;
	uint32_t inode;
};

static bool address_of(int fd, struct endpoint_address *ret)
{
	struct sockaddr_storage bound = {0};
	socklen_t size = sizeof(bound);
	struct stat file;
	if (getsockname(fd, (struct sockaddr *)&bound, &size) < 0 || fstat(fd, &file) < 0) {
		return false;
	}
	*ret = (struct endpoint_address){
	        .family = (uint8_t)bound.ss_family, .inode = (uint32_t)file.st_ino};
	if (bound.ss_family == AF_INET) {
		const struct sockaddr_in *a = (const struct sockaddr_in *)&bound;
		ret->port = a->sin_port;
		ret->address_len = sizeof(a->sin_addr);
		memcpy(ret->address, &a->sin_addr, ret->address_len);
	} else if (bound.ss_family == AF_INET6) {
		const struct sockaddr_in6 *a = (const struct sockaddr_in6 *)&bound;
		ret->port = a->sin6_port;
		ret->address_len = sizeof(a->sin6_addr);
		memcpy(ret->address, &a->sin6_addr, ret->address_len);
	}
	return ret->address_len > 0;
}

/* Requests a list of the sockets that listen on this port. It is short, however many sockets are
 * open. */
static bool request_listeners(int netlink, const struct endpoint_address *listener)
{
	struct {
		struct nlmsghdr head;
		struct inet_diag_req_v2 body;
	} request = {
	        .head = {.nlmsg_len = sizeof(request),
	                .nlmsg_type = SOCK_DIAG_BY_FAMILY,
	                .nlmsg_flags = NLM_F_REQUEST | NLM_F_DUMP},
	        .body = {.sdiag_family = listener->family,
	                .sdiag_protocol = IPPROTO_TCP,
	                .idiag_states = 1u << TCP_LISTEN,
	                .id.idiag_sport = listener->port},
	};
	return send(netlink, &request, sizeof(request), 0) == (ssize_t)sizeof(request);
}

static bool is_other(const struct nlmsghdr *message, const struct endpoint_address *listener)
{
	if (message->nlmsg_type != SOCK_DIAG_BY_FAMILY ||
	        message->nlmsg_len < NLMSG_LENGTH(sizeof(struct inet_diag_msg))) {
		return false;
	}
	const struct inet_diag_msg *found = NLMSG_DATA(message);
	return found->idiag_inode != listener->inode && found->id.idiag_sport == listener->port &&
	       memcmp(found->id.idiag_src, listener->address, listener->address_len) == 0;
}

/* Reads the kernel's replies to the end, or to the first that decides. */
static bool find_other(int netlink, const struct endpoint_address *listener)
{
	_Alignas(struct nlmsghdr) char answers[8192];
	for (;;) {
		ssize_t n = recv(netlink, answers, sizeof(answers), 0);
		if (n <= 0) {
			return false;
		}
		unsigned left = (unsigned)n;
		for (const struct nlmsghdr *i = (const struct nlmsghdr *)answers; NLMSG_OK(i, left);
		        i = NLMSG_NEXT(i, left)) {
			if (i->nlmsg_type == NLMSG_DONE || i->nlmsg_type == NLMSG_ERROR) {
				return false;
			}
			if (is_other(i, listener)) {
				return true;
			}
		}
	}
}

bool successor_listens(int fd)
{
	struct endpoint_address listener;
	if (!address_of(fd, &listener)) {
		return false;
	}
	int netlink = socket(AF_NETLINK, SOCK_DGRAM | SOCK_CLOEXEC, NETLINK_SOCK_DIAG);
	if (netlink < 0) {
		return false;
	}
	/* the kernel replies at once; the timeout is for the case that it does not */
	const struct timeval timeout = {.tv_usec = 100000};
	setsockopt(netlink, SOL_SOCKET, SO_RCVTIMEO, &timeout, sizeof(timeout));
	bool found = request_listeners(netlink, &listener) && find_other(netlink, &listener);
	close(netlink);
	return found;
}
